import { AIMessage } from '@langchain/core/messages';
import { END, interrupt, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';

const provider = 'mail';
const scopes = ['mail'];

/** Reads the mail of the user whom it is told, with the user’s own token, for which it asks as langchain-auth does. */
async function read({ messages }, { configurable }) {
  const user_id = messages.at(-1).text;
  const answer = await fetch(`${process.env.LANGSMITH_API_URL}/v2/auth/authenticate`, {
    method: 'POST',
    headers: { 'x-api-key': process.env.LANGSMITH_API_KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ user_id, provider, scopes, agent_id: configurable.assistant_id }),
  });
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  const { status, url, token } = await answer.json();
  if (status !== 'completed')
    interrupt({
      message: `OAuth authentication required for provider '${provider}'.`,
      auth_url: url,
      provider,
      scopes,
    });
  return { messages: [new AIMessage(`mail of ${user_id} by a token of ${token.length} characters`)] };
}

export const graph = new StateGraph(MessagesAnnotation)
  .addNode('read', read)
  .addEdge(START, 'read')
  .addEdge('read', END)
  .compile();
