import { mayDo } from '../../session/session.ts';
import { Snippet } from '../../ui/copy.tsx';
import { at } from '../../router/addresses.ts';
import { GoTo } from '../../ui/link.tsx';
import { tracingLines } from '../../words/tracing-lines.ts';

interface Connection {
  readonly label: string;
  /** What has a key of its own. */
  readonly client: string;
  readonly text: string;
  /** The set of scopes of a key that can do it. */
  readonly key_set: 'trace' | 'read' | 'call';
  /** The agent that the line calls. */
  readonly agent?: string;
}

/** The lines that connect an SDK, an MCP client and an A2A client. Keys are shown once, where they are made. */
export const ConnectLines = ({ slug }: { readonly slug: string | undefined }) => (
  <div className="flex flex-col gap-3">
    <p className="text-quiet">
      Put a key in place of <code>YOUR_KEY</code>
      {mayDo('keys:admin') && ', or make one, which is shown with its line'}.
    </p>
    {connections(slug).map(({ label, client, text, key_set, agent }) => (
      <div key={label} className="flex flex-col gap-1">
        <Snippet label={label} text={text} />
        {mayDo('keys:admin') && (
          <GoTo
            target={at.settings('keys', { make: key_set, ...(agent !== undefined && { agent }) })}
            className="self-end text-xs text-accent hover:underline"
          >
            Make a key for {client}
          </GoTo>
        )}
      </div>
    ))}
  </div>
);

function connections(slug: string | undefined): readonly Connection[] {
  const { origin } = location;
  return [
    {
      label: 'Traces with a LangSmith SDK',
      client: 'an SDK',
      text: tracingLines({ origin }),
      key_set: 'trace',
    },
    {
      label: 'An MCP client',
      client: 'an MCP client',
      text: `claude mcp add --transport http roadstead ${origin}/mcp --header "SERVICE-API-KEY: YOUR_KEY"`,
      key_set: 'read',
    },
    ...(slug === undefined
      ? []
      : ([
          {
            label: 'An A2A client',
            client: 'an A2A client',
            text: `curl -s ${origin}/agents/${slug}/.well-known/agent-card.json -H "X-Api-Key: YOUR_KEY"`,
            key_set: 'call',
            agent: slug,
          },
        ] as const)),
  ];
}
