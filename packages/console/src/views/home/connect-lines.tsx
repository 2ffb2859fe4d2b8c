import { tracingLines } from '../../words/tracing-lines.ts';
import { Snippet } from '../../ui/copy.tsx';
import { at } from '../../router/addresses.ts';
import { GoTo } from '../../ui/link.tsx';

/** The lines that connect an SDK, an MCP client and an A2A client. Keys are shown once, where they are made. */
export const ConnectLines = ({ slug }: { readonly slug: string | undefined }) => (
  <div className="flex flex-col gap-3">
    <p className="text-quiet">
      Put a key in place of <code>YOUR_KEY</code>; <GoTo target={at.settings('keys')}>make one here</GoTo>.
    </p>
    <Snippet label="Traces with a LangSmith SDK" text={tracingLines({ origin: location.origin })} />
    <Snippet
      label="An MCP client"
      text={`claude mcp add --transport http roadstead ${location.origin}/mcp --header "SERVICE-API-KEY: YOUR_KEY"`}
    />
    {slug !== undefined && (
      <Snippet
        label="An A2A client"
        text={`curl -s ${location.origin}/agents/${slug}/.well-known/agent-card.json -H "X-Api-Key: YOUR_KEY"`}
      />
    )}
  </div>
);
