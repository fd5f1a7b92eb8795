package worker

import (
	"syscall"
	"unsafe"
)

func read(fd int, b []byte, steady bool) (int, error) {
	if !steady {
		return syscall.Read(fd, b)
	}
	return result(
		syscall.RawSyscall(
			syscall.SYS_READ,
			uintptr(fd),
			uintptr(unsafe.Pointer(unsafe.SliceData(b))),
			uintptr(len(b)),
		),
	)
}

func write(fd int, b []byte, steady bool) (int, error) {
	if !steady {
		return syscall.Write(fd, b)
	}
	return result(
		syscall.RawSyscall(
			syscall.SYS_WRITE,
			uintptr(fd),
			uintptr(unsafe.Pointer(unsafe.SliceData(b))),
			uintptr(len(b)),
		),
	)
}

// result converts the result of a raw system call.
func result(n, _ uintptr, errno syscall.Errno) (int, error) {
	if errno != 0 {
		return 0, errno
	}
	return int(n), nil
}
