import type { ElicitRequestFormParams, McpServer, ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { text } from './fixture-content.ts';

/** Tools that ask the client in the middle of a call, as in 2025: that takes a session. */

const choices = ['option1', 'option2', 'option3'];
const titled = (...titles: readonly string[]) =>
  titles.map((title, at) => ({ const: `value${at + 1}`, title }));

const forms: Readonly<Record<string, ElicitRequestFormParams>> = {
  test_elicitation_sep1034_defaults: {
    message: 'Look through the defaults.',
    requestedSchema: {
      type: 'object',
      properties: {
        name: { type: 'string', default: 'John Doe' },
        age: { type: 'integer', default: 30 },
        score: { type: 'number', default: 95.5 },
        status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
        verified: { type: 'boolean', default: true },
      },
    },
  },
  test_elicitation_sep1330_enums: {
    message: 'Choose.',
    requestedSchema: {
      type: 'object',
      properties: {
        untitledSingle: { type: 'string', enum: choices },
        titledSingle: { type: 'string', oneOf: titled('First Option', 'Second Option', 'Third Option') },
        legacyEnum: {
          type: 'string',
          enum: ['opt1', 'opt2', 'opt3'],
          enumNames: ['Option One', 'Option Two', 'Option Three'],
        },
        untitledMulti: { type: 'array', items: { type: 'string', enum: choices } },
        titledMulti: {
          type: 'array',
          items: { anyOf: titled('First Choice', 'Second Choice', 'Third Choice') },
        },
      },
    },
  },
};

const contact: ElicitRequestFormParams['requestedSchema'] = {
  type: 'object',
  properties: {
    username: { type: 'string', description: "User's response" },
    email: { type: 'string', description: "User's email address" },
  },
  required: ['username', 'email'],
};

/** In the stream that the call is answered in: there is no other. */
const within = ({ id }: ServerContext['mcpReq']) => ({ relatedRequestId: id });

export function registerElicitation(server: McpServer): void {
  for (const [name, form] of Object.entries(forms))
    server.registerTool(name, { description: 'Shows the user a form.' }, async ({ mcpReq }) => {
      const { action, content } = await mcpReq.elicitInput(form, within(mcpReq));
      const said = `Elicitation completed: action=${action}, content=${JSON.stringify(content)}`;
      return { content: [text(said)] };
    });
  server.registerTool(
    'test_elicitation',
    { description: 'Asks the user.', inputSchema: z.object({ message: z.string() }) },
    async ({ message }, { mcpReq }) => {
      const { action, content } = await mcpReq.elicitInput(
        { message, requestedSchema: contact },
        within(mcpReq),
      );
      return { content: [text(`User response: action=${action}, content=${JSON.stringify(content)}`)] };
    },
  );
  server.registerTool(
    'test_sampling',
    { description: 'Asks the client’s model.', inputSchema: z.object({ prompt: z.string() }) },
    async ({ prompt }, { mcpReq }) => {
      const messages = [{ role: 'user' as const, content: text(prompt) }];
      const { content } = await mcpReq.requestSampling({ messages, maxTokens: 100 }, within(mcpReq));
      return { content: [text(`LLM response: ${JSON.stringify(content)}`)] };
    },
  );
}
