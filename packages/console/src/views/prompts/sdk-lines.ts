/** Lines for programs; keys are put in by whoever pastes them. */

const python = () => `from langsmith import Client

client = Client(api_url="${location.origin}/api", api_key="YOUR_KEY")`;

/** Pulls a prompt at a commit or a tag. */
export const pullPython = (name: string): string => `${python()}
prompt = client.pull_prompt("${name}")`;

export const pullTypeScript = (name: string): string => `import * as hub from "langchain/hub";

const prompt = await hub.pull("${name}", {
  apiUrl: "${location.origin}/api",
  apiKey: "YOUR_KEY",
});`;

export const pushLines = (name: string): string => `from langchain_core.prompts import ChatPromptTemplate
${python()}
prompt = ChatPromptTemplate([("user", "{{question}}")], template_format="mustache")
client.push_prompt("${name}", object=prompt)`;
