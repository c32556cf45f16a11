"""What goes wrong in the user's input."""

from __future__ import annotations

from typing import Optional, Tuple


class InputError(ValueError):
    """A file, a key or a value of the user's is wrong.

    ``str(error)`` is one line: ``file:line: key: 'value': message``. What is unknown, or does not
    apply, is ``None``.

    >>> import allclear
    >>> try:
    ...     allclear.load_task({"robot": "arm.urdf", "gaol": {}})
    ... except allclear.InputError as error:
    ...     print(error.key, error.file)
    gaol None
    """

    file: Optional[str]
    line: Optional[int]  #: counted from 1
    key: Optional[str]
    value: Optional[str]

    def __init__(self, message: str, file: Optional[str] = None, line: Optional[int] = None,
                 key: Optional[str] = None, value: Optional[str] = None) -> None:
        super().__init__(message)
        self.file = file
        self.line = line
        self.key = key
        self.value = value

    def __reduce__(self) -> Tuple[type, Tuple[object, ...]]:
        """Keeps the place when the error goes to another process."""
        return type(self), (str(self), self.file, self.line, self.key, self.value)
