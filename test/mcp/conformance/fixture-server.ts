import {
  completable,
  McpServer,
  type McpServerFactory,
  ResourceTemplate,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { embedded, image, PNG, text } from './fixture-content.ts';
import { registerElicitation } from './fixture-elicitation.ts';
import { codec, registerInputs } from './fixture-inputs.ts';
import { registerSchemas } from './fixture-schemas.ts';
import { registerTools } from './fixture-tools.ts';

/** What the conformance kit asks a server to have, to be mounted where our own tools are. */
export const fixtureServer: McpServerFactory = ({ era }) => {
  const server = new McpServer(
    { name: 'conformance-fixtures', version: '1' },
    {
      capabilities: {
        tools: { listChanged: false },
        resources: { listChanged: false, subscribe: true },
        prompts: { listChanged: false },
        logging: {},
      },
      requestState: { verify: codec.verify },
    },
  );
  registerTools(server);
  registerSchemas(server);
  registerResources(server);
  registerPrompts(server);
  if (era === 'modern') registerInputs(server);
  else {
    registerElicitation(server);
    // Nothing of these ever changes.
    server.server.setRequestHandler('resources/subscribe', () => ({}));
    server.server.setRequestHandler('resources/unsubscribe', () => ({}));
  }
  return server;
};

function registerResources(server: McpServer): void {
  const described = { description: 'Fixture of the conformance kit.' };
  server.registerResource(
    'static-text',
    'test://static-text',
    { ...described, mimeType: 'text/plain' },
    ({ href }) => ({
      contents: [
        { uri: href, mimeType: 'text/plain', text: 'This is the content of the static text resource.' },
      ],
    }),
  );
  server.registerResource(
    'static-binary',
    'test://static-binary',
    { ...described, mimeType: 'image/png' },
    ({ href }) => ({ contents: [{ uri: href, mimeType: 'image/png', blob: PNG }] }),
  );
  server.registerResource(
    'template',
    new ResourceTemplate('test://template/{id}/data', { list: undefined }),
    { ...described, mimeType: 'application/json' },
    ({ href }, { id }) => ({
      contents: [
        {
          uri: href,
          mimeType: 'application/json',
          text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${String(id)}` }),
        },
      ],
    }),
  );
}

function registerPrompts(server: McpServer): void {
  const described = { description: 'Fixture of the conformance kit.' };
  const asked = completable(z.string(), (typed) => ['paris', 'park'].filter((one) => one.startsWith(typed)));
  server.registerPrompt('test_simple_prompt', described, () => ({
    messages: [{ role: 'user', content: text('This is a simple prompt for testing.') }],
  }));
  server.registerPrompt(
    'test_prompt_with_arguments',
    { ...described, argsSchema: z.object({ arg1: asked, arg2: z.string() }) },
    ({ arg1, arg2 }) => ({
      messages: [{ role: 'user', content: text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`) }],
    }),
  );
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { ...described, argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri }) => ({
      messages: [
        {
          role: 'user',
          content: embedded(resourceUri, 'text/plain', 'Embedded resource content for testing.'),
        },
        { role: 'user', content: text('Please process the embedded resource above.') },
      ],
    }),
  );
  server.registerPrompt('test_prompt_with_image', described, () => ({
    messages: [
      { role: 'user', content: image },
      { role: 'user', content: text('Please analyze the image above.') },
    ],
  }));
}
