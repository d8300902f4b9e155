package say

// Questions to the reader before the story, and replies to the answers.
var (
	WhatGoesWrong = New1[Verbatim]("{lock}: what goes wrong?")
	WhatNext      = New3[Verbatim, Seconds, Phrase](
		"{lock}, at {time}: {before} What goes wrong next?")
	ReliedOnWhat = New1[Verbatim]("{lock} relied on something that was not true. On what?")
	WhichKeeps   = New1[Property](
		"The same faults, the same seed, another lock. Which of these keeps {property}?")

	InsideTogether = New2[Both, Both]("{who} and {other} are inside at the same time.")
	TakesAway      = New2[Both, Both]("A release by {who} takes away the lock of {other}.")
	WritesTooLate  = New2[Both, Both](
		"{who} writes although {other} got the lock after it, and the resource takes the write.")
	Overwrites = New2[Both, Both](
		"{who} overwrites what {other} wrote, without having seen it.")
)

var (
	Yes          = New0("Yes.")
	YesAt        = New3[Seconds, Phrase, Phrase]("Yes, at {time}: {sentence} {Note}.")
	YesFor       = New1[Phrase]("Yes: {formula}.")
	YesIsKept    = New1[Property]("Yes: {property} is kept.")
	NotYet       = New2[Property, Seconds]("Not yet: {property} breaks only at {time}.")
	NoIsKept     = New1[Property]("No: {property} is kept in this run.")
	NoIsBroken   = New1[Property]("No: {property} is broken.")
	NoThisHeld   = New1[Phrase]("No, this held: {figure}.")
	NoBrokenToo  = New2[Property, Verbatim]("No: {property} is broken, as with {lock}.")
	NoBrokenHere = New1[Property]("No: {property} is broken here as well.")
)

// Premises of a lock, with the figures of the run.
var (
	LongestStandstill = New2[Seconds, Seconds]("longest pause {time}, lease {lease}")
	LongestHold       = New2[Seconds, Seconds]("longest hold {time}, lease {lease}")
	MessagesLost      = New3[Number, Number, Number](
		"{lost} lost, {timeouts} response {timeouts|timeout|timeouts}, {late} {late|fault that delays|faults that delay} messages")
	LargestOffset = New1[Seconds]("largest offset {time}")
	EntriesLost   = New3[Number, Number, Number](
		"{n} {n|entry|entries} forgotten, {crashes} {crashes|crash|crashes}, {promotions} {promotions|promotion|promotions}")
	Deaths           = New1[Number]("{n} {n|death|deaths}")
	ForeignRemovals  = New1[Number]("{n} foreign {n|removal|removals}")
	NotTestedAgainst = New1[Remarks](
		"No run tested these, so a lock may have relied on them: {premises}.")
)

// What to change.
var (
	AnotherBrokeNothing = New1[Verbatim](
		"Another lock. {lock} broke nothing with the same seed and faults.")
	AnotherBrokeOne = New1[Verbatim]("Another lock. {lock} broke only one property.")
	AnotherBrokeFew = New2[Verbatim, Number]("Another lock. {lock} broke only {n} properties.")
	LongerLease     = New2[Planned, Planned]("A longer lease: {new} instead of {old}.")
	ShorterFault    = New2[Planned, Planned]("A shorter fault: {new} instead of {old}.")
)
