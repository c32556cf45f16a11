# bash completion of allclear(1).
_allclear() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command='' i options
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    if [[ ${COMP_WORDS[i]} != -* ]]; then
      command=${COMP_WORDS[i]}
      break
    fi
  done
  local robot='--srdf --package --base --soft-limits --pair-samples --skip-never --no-cache'
  case $command in
    plan) options='--output --csv --trajectory --certificate --proof --ros2 --report --time-limit --threads --seed --improve --quiet --verbose --json --no-cache' ;;
    retime) options='--output --tolerance --exact --time-limit --csv --trajectory --certificate --proof --ros2 --report --json --no-cache' ;;
    distance) options='--at --configuration --time --all --json --no-cache' ;;
    fk) options='--link --offset --configuration --package --trajectory --rate --output --json --no-cache' ;;
    ik) options='--link --position --rpy --orientation --offset --tolerance --all --time-limit --json --no-cache' ;;
    check) options='--report --json --no-cache' ;;
    certify) options='--certificate --proof --verify --interpolation --tube --limit-tolerance --json --no-cache' ;;
    impact) options='--at --link --point --direction --mass --restitution --friction --json --no-cache' ;;
    posture) options='--start --report --json --no-cache' ;;
    batch) options='--problems --sweep --output --time-limit --improve --files --retry-failed --retry-changed --reports --workers --memory-limit --kill-after --scheduler --chunk --quiet --seed' ;;
    report) options='--output --plan --reports --interpolation --tube --limit-tolerance --no-cache' ;;
    fit) options="$robot --output --max-capsules --gain --ellipsoids --threads --json" ;;
    inspect) options="$robot --pairs --json" ;;
    deform) options='--rate --json' ;;
    *)
      mapfile -t COMPREPLY < <(compgen -W 'plan retime batch check posture distance fk ik certify impact report fit inspect deform --help --version' -- "$word")
      return
      ;;
  esac
  if [[ $command == distance && $before == --at ]]; then
    mapfile -t COMPREPLY < <(compgen -W 'start goal' -- "$word")
    return
  fi
  case $before in
    --base)
      mapfile -t COMPREPLY < <(compgen -W 'fixed planar floating srdf' -- "$word")
      return
      ;;
    --interpolation)
      mapfile -t COMPREPLY < <(compgen -W 'as-sent linear cubic quintic' -- "$word")
      return
      ;;
    --improve)
      mapfile -t COMPREPLY < <(compgen -W 'none some all' -- "$word")
      return
      ;;
    --files)
      mapfile -t COMPREPLY < <(compgen -W 'csv trajectory certificate proof none' -- "$word")
      return
      ;;
    --time-limit | --threads | --workers | --memory-limit | --kill-after | --scheduler | --chunk | --plan | --seed | --limit-tolerance | --pair-samples | --max-capsules | --gain | --package | --at | --link | --point | --direction | --mass | --restitution | --friction | --rate | --tolerance | --configuration | --time | --offset | --position | --rpy | --orientation)
      return
      ;;
  esac
  if [[ $command == deform && $before == deform ]]; then
    mapfile -t COMPREPLY < <(compgen -W 'check' -- "$word")
    return
  fi
  if [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options --help" -- "$word")
  else
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  fi
}
complete -F _allclear allclear
