import { useQuery } from '@tanstack/react-query';
import { assistantsQuery } from '../../api/agent-threads.ts';
import { Answer, Empty } from '../../ui/answers.tsx';
import { GraphView } from './graph-view.tsx';
import { graphQuery } from './agent-queries.ts';
import { TalkFrame } from './talk-frame.tsx';
import { useTalk } from './talk-address.ts';
import { at } from '../../router/addresses.ts';
import { useGo } from '../../router/go.ts';
import { control } from '../../ui/fields.tsx';

/** The graphs of a deployment, drawn. */
export function GraphPage() {
  const { slug, search } = useTalk();
  const go = useGo();
  const assistants = useQuery(assistantsQuery(slug));
  const all = assistants.data ?? [];
  const chosen = all.find(({ assistant_id }) => assistant_id === search.assistant) ?? all.at(-1);
  const graph = useQuery({ ...graphQuery(slug, chosen?.assistant_id ?? ''), enabled: chosen !== undefined });
  return (
    <TalkFrame
      slug={slug}
      title="Graph"
      actions={
        <select
          aria-label="Assistant"
          className={control}
          value={chosen?.assistant_id ?? ''}
          onChange={({ target: { value } }) => go(at.talkPart(slug, 'graph', { assistant: value }))}
        >
          {all.map(({ assistant_id, name }) => (
            <option key={assistant_id} value={assistant_id}>
              {name}
            </option>
          ))}
        </select>
      }
    >
      <Answer of={assistants}>
        {(list) =>
          list.length === 0 ? (
            <Empty title="This deployment has no assistant">Deploy a project with a graph in it.</Empty>
          ) : (
            <Answer of={graph}>{(drawing) => <GraphView graph={drawing} />}</Answer>
          )
        }
      </Answer>
    </TalkFrame>
  );
}
