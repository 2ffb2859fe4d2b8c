import { explanation } from './explanation.ts';

export const pushPrompt = explanation({
  name: 'push_prompt',
  title: 'Push a prompt',
  about: 'Tells how to create prompts and push new versions of them with the SDK.',
  packages: { js: 'langsmith @langchain/core', python: 'langsmith langchain-core' },
  acting: 'commit_prompt',
  sections: [
    {
      title: 'A chat template',
      text: `
A new name creates a prompt, which is private unless said otherwise; a known name gets a new version. What the call gives back is an address in which the version stands.
Messages are pairs of role and template, templates of messages, placeholders for messages that come later, or finished messages, in any mixture. What stands in braces is filled in; write {{ and }} for braces themselves.`,
      js: `
import { AIMessage } from "@langchain/core/messages";
import { ChatPromptTemplate, MessagesPlaceholder, StructuredPrompt } from "@langchain/core/prompts";
import { Client } from "langsmith";

const client = new Client();
const template = ChatPromptTemplate.fromMessages([
  ["system", "You answer customers of {shop}."],
  new AIMessage("How can I help?"),
  new MessagesPlaceholder("history"),
  ["human", "{question}"],
]);
const url = await client.pushPrompt("support-answer", {
  object: template,
  description: "Answers customers",
  tags: ["support"],
  isPublic: false,
});`,
      python: `
from langchain_core.messages import AIMessage
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_core.prompts.structured import StructuredPrompt
from langsmith import Client

client = Client()
template = ChatPromptTemplate([
    ("system", "You answer customers of {shop}."),
    AIMessage("How can I help?"),
    MessagesPlaceholder("history"),
    ("human", "{question}"),
])
url = client.push_prompt(
    "support-answer",
    object=template,
    description="Answers customers",
    tags=["support"],
    is_public=False,
)`,
    },
    {
      title: 'Arguments',
      text: `
- The name comes first: "name", or "owner/name" for another owner. It begins with a lowercase letter and goes on with lowercase letters, digits, hyphens and underscores.
- \`object\`: the template. Without it only what is said about the prompt changes, and no version is written.
- \`description\`, \`readme\`, \`tags\`, \`isPublic\`/\`is_public\`: about the prompt. What is left out stays as it is.
- \`commitTags\`/\`commit_tags\`: names that then stand for this version, such as "production". \`commitDescription\`/\`commit_description\`: what it changes.`,
    },
    {
      title: 'Only where something changed',
      text: 'A template that is the same as the newest version writes none: the call fails with status 409, which may be passed over.',
      js: `
async function pushIfChanged(name, object) {
  try {
    return await client.pushPrompt(name, { object });
  } catch (error) {
    if (error.status === 409) return undefined;
    throw error;
  }
}
await pushIfChanged("support-answer", template);`,
      python: `
from langsmith.utils import LangSmithConflictError

def push_if_changed(name, template):
    try:
        return client.push_prompt(name, object=template)
    except LangSmithConflictError:
        return None

push_if_changed("support-answer", template)`,
    },
    {
      title: 'A template with a schema of its answer',
      text: 'The schema is JSON Schema; of a Pydantic model `Model.model_json_schema()` gives it.',
      js: `
const schema = {
  title: "Verdict",
  description: "What is thought of an answer",
  type: "object",
  properties: { kind: { type: "boolean" } },
  required: ["kind"],
};
await client.pushPrompt("support-verdict", {
  object: StructuredPrompt.fromMessagesAndSchema([["human", "Is this kind? {answer}"]], schema),
});`,
      python: `
schema = {
    "title": "Verdict",
    "description": "What is thought of an answer",
    "type": "object",
    "properties": {"kind": {"type": "boolean"}},
    "required": ["kind"],
}
client.push_prompt(
    "support-verdict",
    object=StructuredPrompt([("human", "Is this kind? {answer}")], schema),
)`,
    },
    {
      title: 'For agents',
      text: 'Read the prompt by get_prompt_by_name before and after: before, so that variables which callers fill in keep their names; after, to see that roles and texts are as meant. Ask before a prompt becomes public.',
    },
  ],
});
