package upstream

// olderModes are system calls that this processor does not have.
var olderModes []uint32
