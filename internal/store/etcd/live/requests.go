package live

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"golang.org/x/net/http2"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/protoadapt"

	"lockstep/internal/real/link"
	"lockstep/internal/real/livestore"
)

// request is a request that may change keys.
type request struct {
	*livestore.Request
	ops      []*pb.RequestOp
	lease    int64 // that it ends; 0 for none
	answered bool
	after    int64 // the revision after it; 0 without a reply
	revision int64 // that it has made; 0 without a reply that says so
	found    bool  // that revision has been seen
}

// mayHaveMade reports whether the reply to a request, if any, allows that it made a revision.
func (r *request) mayHaveMade(revision int64) bool {
	return !r.answered || r.revision == revision || r.lease != 0 && r.after == revision
}

var errNotRead = errors.New("not a known request")

// message is a message of etcd's gRPC.
type message interface {
	protoadapt.MessageV1
	Unmarshal([]byte) error
}

// read reads the request and its reply, if there is one.
func (r *request) read() error {
	path, question, answer, err := bodies(&r.Change)
	if err != nil {
		return err
	}
	r.answered = answer != nil
	parse := func(q, a message) error {
		err := decode(question, r.Name == "", q)
		if err == nil && r.answered {
			err = decode(answer, r.Name == "", a)
		}
		return err
	}
	switch kindOfPath(path) {
	case "put":
		var q pb.PutRequest
		var a pb.PutResponse
		err = parse(&q, &a)
		r.did(a.Header, true, &pb.RequestOp{Request: &pb.RequestOp_RequestPut{RequestPut: &q}})
	case "deleterange":
		var q pb.DeleteRangeRequest
		var a pb.DeleteRangeResponse
		err = parse(&q, &a)
		r.did(a.Header, a.Deleted > 0, &pb.RequestOp{Request: &pb.RequestOp_RequestDeleteRange{RequestDeleteRange: &q}})
	case "txn":
		var q pb.TxnRequest
		var a pb.TxnResponse
		err = parse(&q, &a)
		r.did(a.Header, changed(a.Responses), &pb.RequestOp{Request: &pb.RequestOp_RequestTxn{RequestTxn: &q}})
	case "leaserevoke", "revoke":
		var q pb.LeaseRevokeRequest
		var a pb.LeaseRevokeResponse
		err = parse(&q, &a)
		r.did(a.Header, false)
		r.lease = q.ID
	default:
		err = errNotRead
	}
	return err
}

// did notes what a request does, and whether it has changed something by its reply.
func (r *request) did(header *pb.ResponseHeader, changed bool, ops ...*pb.RequestOp) {
	r.ops, r.after = ops, header.GetRevision()
	if changed {
		r.revision = r.after
	}
}

// changed reports whether a part of a transaction has changed a key.
func changed(parts []*pb.ResponseOp) bool {
	return slices.ContainsFunc(parts, func(p *pb.ResponseOp) bool {
		return p.GetResponsePut() != nil || p.GetResponseDeleteRange().GetDeleted() > 0 || changed(p.GetResponseTxn().GetResponses())
	})
}

func decode(body []byte, json bool, into message) error {
	if !json {
		return into.Unmarshal(body)
	}
	return protojson.UnmarshalOptions{DiscardUnknown: true}.Unmarshal(body, protoadapt.MessageV2Of(into))
}

// bodies returns the path of a request, its message, and that of its reply; nil without a reply
// that says that it succeeded.
func bodies(c *link.Change) (path string, question, answer []byte, err error) {
	if c.Name != "" {
		if question = grpcMessage(c.Bytes[link.Up]); question == nil {
			err = errNotRead
		}
		return c.Name, question, grpcMessage(c.Bytes[link.Down]), err
	}
	q, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(c.Bytes[link.Up])))
	if err != nil {
		return "", nil, nil, err
	}
	if question, err = io.ReadAll(q.Body); err != nil {
		return "", nil, nil, fmt.Errorf("%w: %w", errNotRead, err)
	}
	if a, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(c.Bytes[link.Down])), q); err == nil && a.StatusCode == http.StatusOK {
		if whole, err := io.ReadAll(a.Body); err == nil {
			answer = whole
		}
	}
	return q.URL.Path, question, answer, nil
}

// grpcMessage returns the first message in the frames of one direction of a stream; nil if it is
// not all there, or compressed.
func grpcMessage(frames []byte) []byte {
	var data []byte
	for in := http2.NewFramer(io.Discard, bytes.NewReader(frames)); ; {
		frame, err := in.ReadFrame()
		if err != nil {
			break
		}
		if d, ok := frame.(*http2.DataFrame); ok {
			data = append(data, d.Data()...)
		}
	}
	const prefix = 5 // whether it is compressed, and its length
	if len(data) < prefix || data[0] != 0 || uint64(len(data)-prefix) < uint64(binary.BigEndian.Uint32(data[1:])) {
		return nil
	}
	return data[prefix : prefix+int(binary.BigEndian.Uint32(data[1:]))]
}
