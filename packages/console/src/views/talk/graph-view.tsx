import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo, useState } from 'react';
import { Answer } from '../../ui/answers.tsx';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { drawingOf, litBy } from './graph-rules.ts';
import { BREAKPOINT_WHEN, breakpointWord } from './breakpoint-rules.ts';
import { type Layout, layOut } from './graph-layout.ts';

interface GraphViewProps {
  readonly graph: { readonly nodes: readonly object[]; readonly edges: readonly object[] };
  /** Paths of the nodes that run, those that wait to run, and how often each has run. */
  readonly running?: readonly string[];
  readonly waiting?: readonly string[];
  readonly done?: Readonly<Record<string, number>>;
  /** Breakpoints, as an address writes them. */
  readonly breakpoints?: readonly string[] | undefined;
}

/** Larger graphs are a list: nobody reads a drawing of thousands of nodes. */
const MOST_NODES = 400;

/** A graph drawn; its subgraphs open and close. */
export function GraphView({
  graph,
  running = [],
  waiting = [],
  done = {},
  breakpoints = [],
}: GraphViewProps) {
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const [zoom, setZoom] = useState(1);
  const drawing = useMemo(() => drawingOf(graph, closed), [graph, closed]);
  const isLarge = drawing.nodes.length > MOST_NODES;
  const layout = useQuery({
    queryKey: ['layout', drawing],
    queryFn: () => layOut(drawing),
    enabled: !isLarge,
    staleTime: Infinity,
  });
  const marks = { running: litBy(running), waiting: litBy(waiting), done, breakpoints };
  const toggle = (id: string) =>
    setClosed(new Set(closed.has(id) ? [...closed].filter((one) => one !== id) : [...closed, id]));
  if (isLarge)
    return <p className="p-4 text-quiet">The graph has {drawing.nodes.length} nodes, too many to draw.</p>;
  return (
    <section aria-label="Drawing of the graph" className="flex min-h-0 flex-1 flex-col">
      <div className="flex items-center gap-2 px-4 py-1">
        <Button small aria-label="Smaller" onClick={() => setZoom(Math.max(0.25, zoom - 0.25))}>
          −
        </Button>
        <span className="text-xs text-quiet tabular-nums">{Math.round(zoom * 100)} %</span>
        <Button small aria-label="Larger" onClick={() => setZoom(Math.min(3, zoom + 0.25))}>
          +
        </Button>
        <p role="status" className="min-w-0 truncate text-xs text-quiet">
          {running.length > 0
            ? `Running: ${running.join(', ')}`
            : waiting.length > 0
              ? `Next: ${waiting.join(', ')}`
              : ''}
        </p>
      </div>
      <Answer of={layout}>
        {(laid) => (
          <div className="min-h-0 flex-1 overflow-auto p-2" tabIndex={0} role="group" aria-label="Graph">
            <svg
              width={laid.width * zoom}
              height={laid.height * zoom}
              viewBox={`0 0 ${laid.width} ${laid.height}`}
              className="mx-auto max-w-none"
            >
              <Edges edges={laid.edges} />
              {laid.nodes.map((node) => (
                <Node key={node.id} node={node} marks={marks} onToggle={() => toggle(node.id)} />
              ))}
            </svg>
          </div>
        )}
      </Answer>
    </section>
  );
}

const Edges = ({ edges }: Pick<Layout, 'edges'>) => (
  <g aria-hidden="true">
    <defs>
      <marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
        <path d="M0 0 8 4 0 8z" className="fill-quiet" />
      </marker>
    </defs>
    {edges.map(({ id, points, is_conditional, label, labelAt }) => (
      <g key={id}>
        <polyline
          points={points.map(({ x, y }) => `${x},${y}`).join(' ')}
          fill="none"
          strokeWidth="1.5"
          strokeDasharray={is_conditional ? '5 4' : undefined}
          markerEnd="url(#arrow)"
          className="stroke-quiet"
        />
        {labelAt !== undefined && (
          <text x={labelAt.x} y={labelAt.y} className="fill-quiet text-2xs">
            {label}
          </text>
        )}
      </g>
    ))}
  </g>
);

interface Marks {
  readonly running: ReadonlySet<string>;
  readonly waiting: ReadonlySet<string>;
  readonly done: Readonly<Record<string, number>>;
  readonly breakpoints: readonly string[];
}

interface NodeProps {
  readonly node: Layout['nodes'][number];
  readonly marks: Marks;
  readonly onToggle: () => void;
}

function stateOf(id: string, { running, waiting, done }: Marks) {
  if (running.has(id)) return { word: 'running', look: 'fill-busy-soft stroke-busy animate-pulse', width: 3 };
  if (waiting.has(id)) return { word: 'next', look: 'fill-warn-soft stroke-warn', width: 3 };
  const times = done[id];
  if (times !== undefined)
    return {
      word: times === 1 ? 'has run' : `has run ${times} times`,
      look: 'fill-good-soft stroke-good',
      width: 2,
    };
  return { word: undefined, look: 'fill-card stroke-line', width: 1.5 };
}

function Node({ node, marks, onToggle }: NodeProps) {
  const { id, label, kind, x, y, width, height } = node;
  const { word, look, width: stroke } = stateOf(id, marks);
  const isGroup = kind === 'group' || kind === 'closed';
  const isEnd = kind === 'start' || kind === 'end';
  const stopped = BREAKPOINT_WHEN.filter((when) =>
    marks.breakpoints.includes(breakpointWord({ when, node: id })),
  );
  const described = [label, isGroup ? 'subgraph' : undefined, word, ...stopped.map((when) => `stops ${when}`)]
    .filter((part) => part !== undefined)
    .join(', ');
  return (
    <Focusable label={described} isOpen={isGroup ? kind === 'group' : undefined} onPress={onToggle}>
      <rect
        x={x}
        y={y}
        width={width}
        height={height}
        rx={isEnd ? height / 2 : 6}
        strokeWidth={stroke}
        strokeDasharray={kind === 'group' ? '3 3' : undefined}
        className={classes(look, kind === 'group' && 'fill-transparent')}
      />
      <text
        x={kind === 'group' ? x + 12 : x + width / 2}
        y={kind === 'group' ? y + 22 : y + height / 2 + 4.5}
        textAnchor={kind === 'group' ? 'start' : 'middle'}
        className={classes('text-xs', isEnd ? 'fill-quiet' : 'fill-ink', isGroup && 'font-semibold')}
      >
        {kind === 'group' ? `▾ ${label}` : kind === 'closed' ? `▸ ${label}` : label}
      </text>
      {stopped.map((when) => (
        <circle key={when} cx={x} cy={when === 'before' ? y : y + height} r="5" className="fill-bad" />
      ))}
      {word !== undefined && <title>{described}</title>}
    </Focusable>
  );
}

interface FocusableProps {
  readonly label: string;
  /** Whether a group is open; undefined for nodes, which do nothing. */
  readonly isOpen: boolean | undefined;
  readonly onPress: () => void;
  readonly children: ReactNode;
}

const Focusable = ({ label, isOpen, onPress, children }: FocusableProps) =>
  isOpen === undefined ? (
    <g role="img" aria-label={label} tabIndex={0}>
      {children}
    </g>
  ) : (
    <g
      role="button"
      aria-label={label}
      aria-expanded={isOpen}
      tabIndex={0}
      className="cursor-pointer"
      onClick={onPress}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' && event.key !== ' ') return;
        event.preventDefault();
        onPress();
      }}
    >
      {children}
    </g>
  );
