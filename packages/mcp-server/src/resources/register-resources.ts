import {
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
  ResourceTemplate,
  UriTemplate,
  type Variables,
} from '@modelcontextprotocol/server';
import type { Apis } from '../access/api-client.ts';
import { type ToolError, toolErrorOf } from '../tools/tool-error.ts';
import type { ReadContext, Tool } from '../tools/tool.ts';
import { readAddress, templates } from '../addresses/address-rules.ts';
import { completerOf } from './completer.ts';
import type { Resource } from './resources.ts';
import { jsonText, pageOfText } from './whole-text.ts';

/** Offers resources to one caller. */
export function registerResources(server: McpServer, resources: readonly Resource[], apis: Apis): void {
  for (const resource of resources) {
    const template = new ResourceTemplate(new PagedTemplate(templates[resource.kind]), {
      list: undefined,
      complete: Object.fromEntries(
        Object.entries(resource.complete).map(([name, complete]) => [name, completerOf(complete, apis)]),
      ),
    });
    const { title, description } = resource;
    server.registerResource(
      resource.kind,
      template,
      { title, description, mimeType: 'application/json' },
      async ({ href }, _variables, { mcpReq: { signal } }) => readWhole(resource, href, { ...apis, signal }),
    );
  }
}

/** The context of a text that needs nothing of a call. */
const alone = {
  workspace_id: '',
  report: () => undefined,
  link: () => undefined,
  confirm: async () => undefined,
};

/** Explanations can also be read without a call. */
export function registerTexts(server: McpServer, tools: readonly Tool[], apis: Apis): void {
  for (const tool of tools.filter(({ effect }) => effect === 'explains')) {
    const { name, title, description } = tool;
    server.registerResource(
      name,
      `roadstead://docs/${name}`,
      {
        title,
        description,
        mimeType: 'text/markdown',
        cacheHint: { ttlMs: 3_600_000, cacheScope: 'public' },
      },
      async ({ href }, { mcpReq: { signal } }) => {
        const result = await tool.call({}, { ...apis, ...alone, signal });
        const [text] = Object.values(result).filter((value) => typeof value === 'string');
        return {
          contents: [{ uri: href, mimeType: 'text/markdown', text: text ?? (await jsonText(result)) }],
        };
      },
    );
  }
}

/** Also matches the pages of an address, which are not variables of the thing. */
class PagedTemplate extends UriTemplate {
  override match(uri: string): Variables | null {
    return readAddress(this.toString(), uri)?.values ?? null;
  }
}

async function readWhole(
  { kind, read }: Resource,
  uri: string,
  context: ReadContext,
): Promise<ReadResourceResult> {
  const address = readAddress(templates[kind], uri);
  if (address === undefined) throw new ResourceNotFoundError(uri);
  const value = await read(address.values, context).catch((error: unknown) => {
    throw refusalOf(toolErrorOf(error), { error, uri });
  });
  const found = pageOfText(await jsonText(value), address.page);
  if (found === undefined) throw new ResourceNotFoundError(uri);
  const { text, total_pages } = found;
  if (total_pages === 1) return { contents: [{ uri, mimeType: 'application/json', text }] };
  const at = `Page ${address.page} of ${total_pages} of a JSON text.`;
  const next = `${uri.split('?')[0]}?page=${address.page + 1}`;
  const note = address.page < total_pages ? `${at} Read ${next} for what follows.` : `${at} It is the last.`;
  return {
    contents: [
      { uri, mimeType: 'text/plain', text },
      { uri: `${uri.split('?')[0]}#pages`, mimeType: 'text/plain', text: note },
    ],
  };
}

/** Resources have no error results, so these are the protocol's errors. */
function refusalOf(
  known: ToolError | undefined,
  { error, uri }: { readonly error: unknown; readonly uri: string },
): unknown {
  if (known === undefined) return error;
  if (known.code === 'not_found') return new ResourceNotFoundError(uri);
  const code =
    known.code === 'invalid_input' ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError;
  return new ProtocolError(code, `${known.message} ${known.hint}`);
}
