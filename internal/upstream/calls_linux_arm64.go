package upstream

// olderModes is empty: arm64 does not have the old system calls that change the mode or the owner of a file.
var olderModes []uint32
