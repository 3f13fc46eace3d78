"""Ties a process's life to its parent's (Linux PR_SET_PDEATHSIG), so that kill -9 leaves no orphans."""

import ctypes
import os
import signal

PR_SET_PDEATHSIG = 1
LIBC = ctypes.CDLL(None, use_errno=True)


def die_with_parent(how: int = signal.SIGKILL, parent: int | None = None) -> None:
    """Have the kernel send `how` to this process when the thread that made it ends.

    `parent` is the pid the caller knows as its parent: where that one has died before the kernel
    was told, the process ends here. A change of user clears the wish, so change the user first.
    """
    if LIBC.prctl(PR_SET_PDEATHSIG, how, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_PDEATHSIG)")
    if parent is not None and os.getppid() != parent:
        os.kill(os.getpid(), how)
