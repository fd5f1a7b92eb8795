//go:build amd64 || arm64

package upstream

import "golang.org/x/sys/unix"

// refusedCalls are the system calls that no confined server may use.
var refusedCalls = []uint32{
	// The kernel's key rings, which contain keys of agents and of mounted folders.
	unix.SYS_KEYCTL,
	unix.SYS_ADD_KEY,
	unix.SYS_REQUEST_KEY,
	// The memory and the open files of other processes.
	unix.SYS_PTRACE,
	unix.SYS_PROCESS_VM_READV,
	unix.SYS_PROCESS_VM_WRITEV,
	unix.SYS_PIDFD_GETFD,
	unix.SYS_KCMP,
	unix.SYS_PROCESS_MADVISE,
	// Memory, queues and semaphores of System V, which all programs of the user share.
	unix.SYS_SHMGET,
	unix.SYS_SHMAT,
	unix.SYS_SHMCTL,
	unix.SYS_MSGGET,
	unix.SYS_MSGSND,
	unix.SYS_MSGRCV,
	unix.SYS_MSGCTL,
	unix.SYS_SEMGET,
	unix.SYS_SEMOP,
	unix.SYS_SEMTIMEDOP,
	unix.SYS_SEMCTL,
	// Other namespaces and other views of the file system.
	unix.SYS_UNSHARE,
	unix.SYS_SETNS,
	unix.SYS_MOUNT,
	unix.SYS_UMOUNT2,
	unix.SYS_PIVOT_ROOT,
	unix.SYS_CHROOT,
	unix.SYS_MOVE_MOUNT,
	unix.SYS_OPEN_TREE,
	unix.SYS_OPEN_TREE_ATTR,
	unix.SYS_FSOPEN,
	unix.SYS_FSCONFIG,
	unix.SYS_FSMOUNT,
	unix.SYS_FSPICK,
	unix.SYS_MOUNT_SETATTR,
	unix.SYS_OPEN_BY_HANDLE_AT,
	unix.SYS_FANOTIFY_INIT,
	// Kernel features with a history of exploits, and calls that change the machine.
	unix.SYS_USERFAULTFD,
	unix.SYS_BPF,
	unix.SYS_PERF_EVENT_OPEN,
	unix.SYS_KEXEC_LOAD,
	unix.SYS_KEXEC_FILE_LOAD,
	unix.SYS_INIT_MODULE,
	unix.SYS_FINIT_MODULE,
	unix.SYS_DELETE_MODULE,
	unix.SYS_REBOOT,
	unix.SYS_SWAPON,
	unix.SYS_SWAPOFF,
	unix.SYS_ACCT,
	unix.SYS_QUOTACTL,
	unix.SYS_QUOTACTL_FD,
}

// refusedModes are the system calls that change the mode, the owner or the attributes of a file by
// its path. Landlock does not check them, so they are refused if the server's files are restricted.
// The variants for open files stay allowed.
var refusedModes = append([]uint32{
	unix.SYS_FCHMODAT,
	unix.SYS_FCHMODAT2,
	unix.SYS_FCHOWNAT,
	unix.SYS_SETXATTR,
	unix.SYS_LSETXATTR,
	unix.SYS_REMOVEXATTR,
	unix.SYS_LREMOVEXATTR,
	unix.SYS_SETXATTRAT,
	unix.SYS_REMOVEXATTRAT,
}, olderModes...)

// unknownCalls are system calls that a filter cannot check, because it cannot read the memory that
// their arguments point to. The filter reports them as not implemented, and programs then use
// others.
var unknownCalls = []uint32{unix.SYS_IO_URING_SETUP, unix.SYS_CLONE3}
