// The allclear command: thin wiring, one file per subcommand.
int main() { return 0; }
