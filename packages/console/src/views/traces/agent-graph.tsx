import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Answer, Empty } from '../../ui/answers.tsx';
import { classes } from '../../ui/classes.ts';
import { count } from '../../words/number-rules.ts';
import { duration } from '../../words/time-rules.ts';
import { layoutOf, type PlacedGraph } from './graph-layout.ts';
import { agentGraphOf, type GraphNode, type Tree } from './tree-rules.ts';

/** A larger graph is no picture. */
const MOST = 2000;

interface AgentGraphProps {
  readonly tree: Tree;
  /** What tells this trace from others. */
  readonly traceKey: readonly string[];
  readonly selected: string | undefined;
  readonly onSelect: (run: string) => void;
}

/** What called what, and what came next: runs of one name are one box. */
export function AgentGraph({ tree, traceKey, selected, onSelect }: AgentGraphProps) {
  const graph = useMemo(() => agentGraphOf(tree), [tree]);
  const isDrawn = graph.nodes.length <= MOST;
  const placed = useQuery({
    queryKey: [...traceKey, 'graph', tree.by_id.size],
    queryFn: () => layoutOf(graph),
    enabled: isDrawn,
    staleTime: Infinity,
    structuralSharing: false,
  });
  if (!isDrawn)
    return (
      <Empty title="This graph is too large to be drawn">
        <p>
          It would have {count(graph.nodes.length)} boxes; the most are {count(MOST)}. The tree shows them
          all.
        </p>
      </Empty>
    );
  const chosen = selected === undefined ? undefined : tree.by_id.get(selected)?.run;
  return (
    <Answer of={placed}>
      {(found) => (
        <Drawing
          placed={found}
          isChosen={({ name, run_type }) => name === chosen?.name && run_type === chosen.run_type}
          onSelect={onSelect}
        />
      )}
    </Answer>
  );
}

interface DrawingProps {
  readonly placed: PlacedGraph;
  readonly isChosen: (node: GraphNode) => boolean;
  readonly onSelect: (run: string) => void;
}

const Drawing = ({ placed: { width, height, boxes, lines }, isChosen, onSelect }: DrawingProps) => (
  <div
    role="region"
    aria-label="Agent graph"
    tabIndex={0}
    className="min-h-0 flex-1 overflow-auto bg-ground p-4"
  >
    <div className="relative mx-auto" style={{ width, height }}>
      <svg width={width} height={height} aria-hidden="true" className="absolute inset-0 text-quiet">
        <defs>
          <marker
            id="arrow"
            viewBox="0 0 8 8"
            refX="7"
            refY="4"
            markerWidth="7"
            markerHeight="7"
            orient="auto"
          >
            <path d="M0 0 8 4 0 8z" fill="currentColor" />
          </marker>
        </defs>
        {lines.map(({ id, points, times, label }) => (
          <g key={id}>
            <polyline
              points={points.map(({ x, y }) => `${x},${y}`).join(' ')}
              fill="none"
              stroke="currentColor"
              markerEnd="url(#arrow)"
            />
            {times > 1 && (
              <text x={label.x + 4} y={label.y} fontSize="11" fill="currentColor">
                {times}×
              </text>
            )}
          </g>
        ))}
      </svg>
      {boxes.map(({ node, x, y, width: wide, height: high }) => (
        <button
          key={node.id}
          type="button"
          aria-pressed={isChosen(node)}
          onClick={() => onSelect(node.first_run)}
          className={classes(
            'absolute flex flex-col justify-center rounded-md border bg-card px-3 text-left hover:bg-sunk',
            isChosen(node) ? 'border-2 border-accent' : node.errors > 0 ? 'border-bad' : 'border-line',
          )}
          style={{ left: x, top: y, width: wide, height: high }}
        >
          <span className="w-full truncate font-medium">{node.name === '' ? '(no name)' : node.name}</span>
          <span className="w-full truncate text-xs text-quiet">
            {node.run_type.toLowerCase()}
            {node.runs > 1 && `, ${count(node.runs)} times`}, {duration(node.ms)}
            {node.errors > 0 && <span className="text-bad">, {count(node.errors)} failed</span>}
          </span>
        </button>
      ))}
    </div>
  </div>
);
