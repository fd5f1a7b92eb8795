package porttest

import (
	"net"
	"strconv"
	"sync"
	"testing"
)

func TestAReservedPortIsGivenToOneOnlyAndCanBeListenedOnAgainAndAgain(t *testing.T) {
	var mu sync.Mutex
	given := map[string]bool{}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				address := Free(t)
				mu.Lock()
				if given[address] {
					t.Errorf("%s was given twice", address)
				}
				given[address] = true
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	for address := range given {
		_, digits, _ := net.SplitHostPort(address)
		if port, err := strconv.Atoi(digits); err != nil || port < first || port >= end {
			t.Errorf("%s is in the range of the kernel", address)
		}
		for range 2 {
			l, err := net.Listen("tcp", address)
			if err != nil {
				t.Fatal(err)
			}
			l.Close()
		}
	}
}

func TestAReleasedPortIsNotHeld(t *testing.T) {
	address, release, err := Reserve()
	if err != nil {
		t.Fatal(err)
	}
	if other, err := net.ListenPacket("udp", address); err == nil {
		other.Close()
		t.Error("another process could reserve it too")
	}
	release()
	other, err := net.ListenPacket("udp", address)
	if err != nil {
		t.Fatal(err)
	}
	other.Close()
}
