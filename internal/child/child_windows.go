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

// Start starts cmd without a console window, in a process group of its own and in a job. The system ends all that is
// in the job when this process ends.
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
	// What the child starts before it is in the job stays outside: it has had some microseconds.
	if err := assign(job, cmd.Process.Pid); err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		_ = windows.CloseHandle(job)
		return nil, fmt.Errorf("putting the process in a job: %w", err)
	}
	return &Family{job: job}, nil
}

// newJob returns a job whose processes end when its last handle is closed, which the end of this process does.
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

// StartConfined does what [Start] does: this system has no namespaces of process IDs.
func StartConfined(cmd *exec.Cmd) (*Family, error) { return Start(cmd) }

// StartOffline fails: this system has no namespaces of the network.
func StartOffline(*exec.Cmd) (*Family, error) { return nil, errors.ErrUnsupported }

// Namespaces returns false: this system has no namespaces of process IDs.
func Namespaces() bool { return false }

// Wait waits for a child that [Start] started.
func Wait(cmd *exec.Cmd) error { return cmd.Wait() }

// Signal ends a child at SIGKILL. Windows has no signal that asks a program without a console to end: SIGTERM does
// nothing, and the closed input alone tells it.
func Signal(pid int, sig syscall.Signal) {
	if sig != syscall.SIGKILL {
		return
	}
	if p, err := os.FindProcess(pid); err == nil {
		_ = p.Kill()
	}
}

// Family is a child and the processes that descend from it: those in its job.
type Family struct {
	job   windows.Handle
	ended sync.Once
}

// Look does nothing: the system keeps the members of the job.
func (f *Family) Look() {}

// Kill ends all processes of the job.
func (f *Family) Kill() {
	f.ended.Do(func() {
		_ = windows.TerminateJobObject(f.job, 1)
		_ = windows.CloseHandle(f.job)
	})
}

// Adopt does nothing: a job holds orphans too.
func Adopt() error { return nil }

// EndOrphans does nothing: each job ends its own.
func EndOrphans() int { return 0 }
