package say

import "time"

// Exact is a duration to the nanosecond in Go's notation, which is the same in every language:
// 1.5s.
type Exact time.Duration

// In writes the duration; "" for 0.
func (e Exact) In(l Language) string {
	return unlessZero(e, Verbatim(time.Duration(e).String()), l)
}

// Each kind of event, described exactly and without its context. The text of an event, if it has
// one, is in the words of a lock, a server or a scenario.
var (
	ExactlyAt  = New2[Verbatim, Phrase]("{at} s  {what}")
	EventWaits = New2[Name, Number]("{who} waits for the lock, round {n}")

	EventAcquired      = New2[Name, Optional]("{who} acquires the lock[, token {token}]")
	EventAcquireFailed = New2[Name, Verbatim]("{who} fails to acquire[: {text}]")
	EventGaveUp        = New1[Name]("{who} gives up waiting")
	EventEntered       = New1[Name]("{who} enters its critical section")
	EventLostLease     = New1[Name]("{who} is told that it has lost the lock")
	EventReleasing     = New1[Name]("{who} begins to release")
	EventReleased      = New1[Name]("{who} hears that its entry was removed")
	EventNotHeld       = New1[Name]("{who} hears that it had no entry")
	EventReleaseFailed = New2[Name, Verbatim](
		"{who} does not know whether its release has worked[: {text}]")
	EventFinished = New1[Name]("{who} has played all its rounds")

	EventRead    = New3[Name, Number, Optional]("{who} reads version {n}[, token {token}]")
	EventWrote   = New3[Name, Number, Optional]("{who} writes version {n}[, token {token}]")
	EventRefused = New3[Name, Number, Optional](
		"a write of {who} is refused, highest token {n}[, token {token}]")

	EventSent           = New3[Name, Name, Verbatim]("{who} sends to {peer}[: {text}]")
	EventExecuted       = New3[Name, Name, Verbatim]("{who} executes for {peer}[: {text}]")
	EventReplied        = New3[Name, Name, Verbatim]("{who} hears from {peer}[: {text}]")
	EventTimedOut       = New3[Name, Name, Verbatim]("{who} hears nothing from {peer}[: {text}]")
	EventRequestDropped = New2[Name, Name]("a request from {who} to {peer} is lost")
	EventReplyDropped   = New2[Name, Name]("a reply from {who} to {peer} is lost")

	EventGranted = New4[Name, Name, Exact, Verbatim](
		"{who} creates an entry for {owner}[, for {long}][: {text}]")
	EventExtended = New5[Name, Name, Name, Exact, Verbatim](
		"{who} extends the entry of {owner} for {peer}[, for {long}][: {text}]")
	EventRemoved = New4[Name, Name, Name, Verbatim](
		"{who} removes the entry of {owner} for {peer}[: {text}]")
	EventExpired = New3[Name, Name, Verbatim](
		"{who} drops the entry of {owner}: its time is up[: {text}]")
	EventReplicated = New5[Name, Name, Name, Exact, Verbatim](
		"{who} copies the entry of {owner} from {peer}[, for {long}][: {text}]")
	EventMayHaveRemoved = New3[Name, Name, Verbatim](
		"{who} may have removed an entry for {peer}, it is not known whose[: {text}]")
	EventForgotten = New3[Name, Name, Verbatim]("{who} has lost the entry of {owner}[: {text}]")

	EventFaultBegan = New3[Number, Name, Verbatim]("fault {n} begins[ on {who}][: {text}]")
	EventFaultEnded = New3[Number, Name, Verbatim]("fault {n} ends[ on {who}][: {text}]")
	EventFroze      = New2[Name, Optional]("{who} freezes[ (fault {n})]")
	EventThawed     = New2[Name, Optional]("{who} runs again[ (fault {n})]")
	EventCrashed    = New2[Name, Optional]("{who} dies[ (fault {n})]")
	EventRestarted  = New2[Name, Optional]("{who} starts again[ (fault {n})]")
	EventPromoted   = New2[Name, Name]("{who} becomes the primary after {peer}")
	EventDemoted    = New2[Name, Name]("{who} becomes a replica of {peer}")
	EventClock      = New2[Name, Verbatim]("{who}'s clock is stepped by {long}")
	EventHealed     = New0("all faults that end are over")
	EventCutShort   = New0("the run is cut short")
	EventNoEffect   = New1[Number]("fault {n} has changed nothing")

	EventReenters  = New2[Name, Number]("{who} asks for the lock again, depth {n}")
	EventReentered = New3[Name, Number, Optional](
		"{who} is given the lock again, depth {n}[, token {token}]")
	EventReenterFailed = New3[Name, Number, Verbatim](
		"{who} is not given the lock again, depth {n}[: {text}]")
	EventLeft = New3[Name, Number, Verbatim]("{who} gives the lock back once, depth {n}[: {text}]")
)
