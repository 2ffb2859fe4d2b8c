// The official client of Go, version 0.3: what it does in one conversation with each agent, as one line of JSON a step.
package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"

	"github.com/a2aproject/a2a-go/a2a"
	"github.com/a2aproject/a2a-go/a2aclient"
	"github.com/a2aproject/a2a-go/a2aclient/agentcard"
)

type withKey struct{}

func (withKey) RoundTrip(request *http.Request) (*http.Response, error) {
	own := request.Clone(request.Context())
	own.Header.Set("X-Api-Key", os.Getenv("KEY"))
	return http.DefaultTransport.RoundTrip(own)
}

var (
	ctx      = context.Background()
	keyed    = &http.Client{Transport: withKey{}}
	resolver = agentcard.NewResolver(keyed)
)

func main() {
	card := cardOf("echo")
	tell("card", card.Name, len(card.Skills), len(card.SecuritySchemes))
	echo := clientOf(card)
	sent := taskOf(echo, a2a.NewMessage(a2a.MessageRoleUser, a2a.TextPart{Text: "Hi"}))
	tell("sent", sent.Status.State, text(sent.Artifacts[0].Parts))
	read, err := echo.GetTask(ctx, &a2a.TaskQueryParams{ID: sent.ID})
	check(err)
	tell("read", read.ID == sent.ID, text(read.Artifacts[0].Parts))
	extended, err := echo.GetAgentCard(ctx)
	check(err)
	tell("extended", extended.Description)

	pieces := ""
	var last a2a.TaskState
	message := a2a.NewMessage(a2a.MessageRoleUser, a2a.TextPart{Text: "Hi"})
	for event, err := range echo.SendStreamingMessage(ctx, &a2a.MessageSendParams{Message: message}) {
		check(err)
		switch one := event.(type) {
		case *a2a.TaskArtifactUpdateEvent:
			pieces += text(one.Artifact.Parts)
		case *a2a.TaskStatusUpdateEvent:
			last = one.Status.State
		}
	}
	tell("streamed", last, pieces)

	picture := a2a.FilePart{File: a2a.FileBytes{
		Bytes:    base64.StdEncoding.EncodeToString([]byte("hi")),
		FileMeta: a2a.FileMeta{MimeType: "image/png", Name: "a.png"},
	}}
	look := a2a.NewMessage(a2a.MessageRoleUser, a2a.TextPart{Text: "Look"}, picture)
	part := taskOf(clientOf(cardOf("picture")), look).Artifacts[0].Parts[0].(a2a.FilePart)
	shown := part.File.(a2a.FileBytes)
	bytes, err := base64.StdEncoding.DecodeString(shown.Bytes)
	check(err)
	tell("file", string(bytes), shown.MimeType, shown.Name)

	ask := clientOf(cardOf("ask"))
	asked := taskOf(ask, a2a.NewMessage(a2a.MessageRoleUser, a2a.TextPart{Text: "hi"}))
	answer := a2a.NewMessageForTask(a2a.MessageRoleUser, asked, a2a.TextPart{Text: "Ada"})
	tell("asked", asked.Status.State, text(taskOf(ask, answer).Artifacts[0].Parts))

	_, err = echo.GetTask(ctx, &a2a.TaskQueryParams{ID: "none"})
	tell("unknown", errors.Is(err, a2a.ErrTaskNotFound))
	for _, err := range echo.ResubscribeToTask(ctx, &a2a.TaskIDParams{ID: "none"}) {
		tell("unknown stream", errors.Is(err, a2a.ErrTaskNotFound))
	}
}

func cardOf(graph string) *a2a.AgentCard {
	options := []agentcard.ResolveOption{}
	if version := os.Getenv("VERSION"); version != "" {
		options = append(options, agentcard.WithRequestHeader("A2A-Version", version))
	}
	card, err := resolver.Resolve(ctx, os.Getenv("AGENT")+"/a2a/"+graph, options...)
	check(err)
	return card
}

func clientOf(card *a2a.AgentCard) *a2aclient.Client {
	client, err := a2aclient.NewFromCard(ctx, card, a2aclient.WithJSONRPCTransport(keyed))
	check(err)
	return client
}

func taskOf(client *a2aclient.Client, message *a2a.Message) *a2a.Task {
	result, err := client.SendMessage(ctx, &a2a.MessageSendParams{Message: message})
	check(err)
	return result.(*a2a.Task)
}

func text(parts a2a.ContentParts) string {
	texts := []string{}
	for _, part := range parts {
		if one, ok := part.(a2a.TextPart); ok {
			texts = append(texts, one.Text)
		}
	}
	return strings.Join(texts, "")
}

func tell(step string, values ...any) {
	line, err := json.Marshal([]any{step, values})
	check(err)
	fmt.Println(string(line))
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
