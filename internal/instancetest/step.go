package instancetest

import (
	"io"
	"net/http"
	"strconv"
	"strings"
)

const jsonContentType = "application/json; charset=utf-8"

// Step is what an instance does with one request. It must end when the context of the request does.
type Step func(s *Server, w http.ResponseWriter, r *http.Request)

// Answer does as the service does: the instance's document for GET {base URL}/instance, 404 for all else.
func Answer() Step {
	return func(s *Server, w http.ResponseWriter, r *http.Request) { s.answer(w, r, s.document) }
}

// AnswerDocument is [Answer] with a document of its own.
func AnswerDocument[T Text](document T) Step {
	text := textOf(document)
	return func(s *Server, w http.ResponseWriter, r *http.Request) { s.answer(w, r, text) }
}

func (s *Server) answer(w http.ResponseWriter, r *http.Request, document string) {
	// The path is compared with its escapes, because a tidied one would hide that a client joins paths wrongly.
	if r.Method != http.MethodGet || r.URL.EscapedPath() != "/instance" {
		s.unexpected("%s has no route %s %s", s.URL(), r.Method, r.URL.RequestURI())
		writeError(w, http.StatusNotFound, "Route "+r.Method+":"+r.URL.RequestURI()+" not found")
		return
	}
	writeBody(w, http.StatusOK, jsonContentType, document)
}

// Status answers the status in the JSON form of the service's errors. The headers are names and values in turn.
func Status(code int, headers ...string) Step {
	return func(_ *Server, w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(headers); i += 2 {
			w.Header().Add(headers[i], headers[i+1])
		}
		writeError(w, code, "The instance was told to answer "+strconv.Itoa(code))
	}
}

// Body answers status, Content-Type (none when empty) and body as given, whatever the path.
func Body(status int, contentType, body string) Step {
	return func(_ *Server, w http.ResponseWriter, _ *http.Request) { writeBody(w, status, contentType, body) }
}

// Redirect answers the status with a Location header, which is sent as given: relative, absolute or nonsense.
func Redirect(code int, location string) Step { return Status(code, "Location", location) }

// aborted is a step that never completes an answer.
func aborted(handler http.HandlerFunc) Step {
	return func(_ *Server, w http.ResponseWriter, r *http.Request) {
		handler(w, r)
		panic(http.ErrAbortHandler)
	}
}

// Reset resets the TCP connection before any answer.
func Reset() Step {
	return aborted(func(_ http.ResponseWriter, r *http.Request) { ResetConnection(connOf(r)) })
}

// CloseConnection closes the TCP connection without an answer, and waits until the client leaves, which Windows needs.
func CloseConnection() Step {
	return aborted(func(_ http.ResponseWriter, r *http.Request) {
		_ = tcp(connOf(r)).CloseWrite()
		<-r.Context().Done()
	})
}

// Silent never answers.
func Silent() Step {
	return aborted(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
}

// EndlessBody answers the status, and then the text over and over, until the client leaves or the instance is closed.
func EndlessBody(status int, text string) Step {
	chunk := strings.Repeat(text, 64<<10/len(text))
	return aborted(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(status)
		for err := error(nil); err == nil && r.Context().Err() == nil; {
			_, err = io.WriteString(w, chunk)
		}
	})
}

// Func is a step written as a handler. It must end when its request's context does.
func Func(handler http.HandlerFunc) Step {
	return func(_ *Server, w http.ResponseWriter, r *http.Request) { handler(w, r) }
}

func writeError(w http.ResponseWriter, code int, message string) {
	text := Document{}.With("statusCode", code).With("error", http.StatusText(code)).With("message", message).JSON()
	writeBody(w, code, jsonContentType, text)
}

func writeBody(w http.ResponseWriter, code int, contentType, body string) {
	if code == http.StatusNoContent || code == http.StatusNotModified {
		w.WriteHeader(code)
		return
	}
	w.Header()["Content-Type"] = nil // so that net/http does not guess one
	if contentType != "" {
		w.Header().Set("Content-Type", contentType)
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(code)
	_, _ = io.WriteString(w, body)
}
