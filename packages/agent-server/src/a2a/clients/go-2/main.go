// The official client of Go, version 2, which speaks 1.0 and, by its own compatibility layer, 0.3: what it does in one
// conversation with each agent, as one line of JSON a step.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	"github.com/a2aproject/a2a-go/v2/a2aclient/agentcard"
	"github.com/a2aproject/a2a-go/v2/a2acompat/a2av0"
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
	version  = os.Getenv("VERSION")
)

func main() {
	if version == "0.3" {
		resolver.CardParser = a2av0.NewAgentCardParser()
	}
	card := cardOf("echo")
	tell("card", card.Name, len(card.Skills), len(card.SecuritySchemes))
	echo := clientOf(card)
	sent := taskOf(echo, a2a.NewMessage(a2a.MessageRoleUser, a2a.NewTextPart("Hi")))
	tell("sent", sent.Status.State, text(sent.Artifacts[0].Parts))
	read, err := echo.GetTask(ctx, &a2a.GetTaskRequest{ID: sent.ID})
	check(err)
	tell("read", read.ID == sent.ID, text(read.Artifacts[0].Parts))
	extended, err := echo.GetExtendedAgentCard(ctx, &a2a.GetExtendedAgentCardRequest{})
	if err != nil {
		tell("extended", err.Error())
	} else {
		tell("extended", extended.Description)
	}

	pieces := ""
	var last a2a.TaskState
	message := a2a.NewMessage(a2a.MessageRoleUser, a2a.NewTextPart("Hi"))
	for event, err := range echo.SendStreamingMessage(ctx, &a2a.SendMessageRequest{Message: message}) {
		check(err)
		switch one := event.(type) {
		case *a2a.TaskArtifactUpdateEvent:
			pieces += text(one.Artifact.Parts)
		case *a2a.TaskStatusUpdateEvent:
			last = one.Status.State
		}
	}
	tell("streamed", last, pieces)

	picture := a2a.NewRawPart([]byte("hi"))
	picture.MediaType = "image/png"
	picture.Filename = "a.png"
	shown := taskOf(
		clientOf(cardOf("picture")),
		a2a.NewMessage(a2a.MessageRoleUser, a2a.NewTextPart("Look"), picture),
	).Artifacts[0].Parts[0]
	tell("file", string(shown.Raw()), shown.MediaType, shown.Filename)

	ask := clientOf(cardOf("ask"))
	asked := taskOf(ask, a2a.NewMessage(a2a.MessageRoleUser, a2a.NewTextPart("hi")))
	answer := a2a.NewMessageForTask(a2a.MessageRoleUser, asked, a2a.NewTextPart("Ada"))
	tell("asked", asked.Status.State, text(taskOf(ask, answer).Artifacts[0].Parts))

	_, err = echo.GetTask(ctx, &a2a.GetTaskRequest{ID: "none"})
	tell("unknown", errors.Is(err, a2a.ErrTaskNotFound))
	for _, err := range echo.SubscribeToTask(ctx, &a2a.SubscribeToTaskRequest{ID: "none"}) {
		tell("unknown stream", errors.Is(err, a2a.ErrTaskNotFound))
	}
}

func cardOf(graph string) *a2a.AgentCard {
	options := []agentcard.ResolveOption{}
	if version != "" {
		options = append(options, agentcard.WithRequestHeader("A2A-Version", version))
	}
	card, err := resolver.Resolve(ctx, os.Getenv("AGENT")+"/a2a/"+graph, options...)
	check(err)
	return card
}

func clientOf(card *a2a.AgentCard) *a2aclient.Client {
	options := []a2aclient.FactoryOption{a2aclient.WithJSONRPCTransport(keyed)}
	if version == "0.3" {
		options = append(options, a2av0.WithJSONRPCTransport(a2av0.JSONRPCTransportConfig{Client: keyed}))
	}
	client, err := a2aclient.NewFromCard(ctx, card, options...)
	check(err)
	return client
}

func taskOf(client *a2aclient.Client, message *a2a.Message) *a2a.Task {
	result, err := client.SendMessage(ctx, &a2a.SendMessageRequest{Message: message})
	check(err)
	return result.(*a2a.Task)
}

func text(parts a2a.ContentParts) string {
	texts := []string{}
	for _, part := range parts {
		texts = append(texts, part.Text())
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
