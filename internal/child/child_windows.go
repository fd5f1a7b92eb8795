package child

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Start starts cmd without a console window, in a process group and a job of its own. When this process ends, the
// system ends all processes in the job.
func Start(cmd *exec.Cmd) (*Family, error) {
	job, err := newJob()
	if err != nil {
		return nil, err
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{
		HideWindow:    true,
		CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_NO_WINDOW,
	}
	if err := cmd.Start(); err != nil {
		_ = windows.CloseHandle(job)
		return nil, err
	}
	// A process that the child starts before it is in the job stays outside. The child has only some microseconds for
	// this.
	if err := assign(job, cmd.Process.Pid); err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		_ = windows.CloseHandle(job)
		return nil, fmt.Errorf("putting the process in a job: %w", err)
	}
	return &Family{job: job}, nil
}

// newJob returns a job whose processes end when the last handle of the job is closed. The end of this process closes
// its handle.
func newJob() (windows.Handle, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, fmt.Errorf("making a job: %w", err)
	}
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	info.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(
		job,
		windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)),
		uint32(unsafe.Sizeof(info)),
	)
	if err != nil {
		_ = windows.CloseHandle(job)
		return 0, fmt.Errorf("setting the limits of a job: %w", err)
	}
	return job, nil
}

func assign(job windows.Handle, pid int) error {
	process, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(pid))
	if err != nil {
		return err
	}
	defer func() { _ = windows.CloseHandle(process) }()
	return windows.AssignProcessToJobObject(job, process)
}

// StartConfined does the same as [Start], because this system has no PID namespaces.
func StartConfined(cmd *exec.Cmd) (*Family, error) { return Start(cmd) }

// StartOffline fails, because this system has no network namespaces.
func StartOffline(*exec.Cmd) (*Family, error) { return nil, errors.ErrUnsupported }

// Namespaces returns false, because this system has no PID namespaces.
func Namespaces() bool { return false }

// Wait waits for a child that [Start] started.
func Wait(cmd *exec.Cmd) error { return cmd.Wait() }

// Signal ends a child on SIGKILL and ignores SIGTERM, because Windows has no signal that asks a program without a
// console to end. The program only notices that its standard input is closed.
func Signal(pid int, sig syscall.Signal) {
	if sig != syscall.SIGKILL {
		return
	}
	if p, err := os.FindProcess(pid); err == nil {
		_ = p.Kill()
	}
}

// Family is a child with its descendants: the processes in its job.
type Family struct {
	job   windows.Handle
	ended sync.Once
}

// Look does nothing, because the job knows its members.
func (f *Family) Look() {}

// Kill ends all processes of the job.
func (f *Family) Kill() {
	f.ended.Do(func() {
		_ = windows.TerminateJobObject(f.job, 1)
		_ = windows.CloseHandle(f.job)
	})
}

// Adopt does nothing, because orphans stay in their job.
func Adopt() error { return nil }

// EndOrphans does nothing, because orphans end with their job.
func EndOrphans() int { return 0 }
