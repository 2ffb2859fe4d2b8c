import { useInfiniteQuery } from '@tanstack/react-query';
import { useParams, useSearch } from '@tanstack/react-router';
import { count } from '../../words/number-rules.ts';
import { at } from '../../router/addresses.ts';
import { useGo } from '../../router/go.ts';
import { Empty, Failure } from '../../ui/answers.tsx';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { control as controlLook } from '../../ui/fields.tsx';
import { useShortcuts } from '../../ui/keys.ts';
import { ListSearchBox } from '../../ui/list-search-box.tsx';
import { Badge } from '../../ui/status.tsx';
import { DeploymentFrame } from './deployment-frame.tsx';
import { revisionsQuery } from './deployment-queries.ts';
import { MOST_LINES } from './log-buffer.ts';
import { type LogFeed, useLogFeed } from './log-feed.ts';
import { LogLines } from './log-lines.tsx';
import { LEVELS, type LogSearch } from './log-search.ts';

/** The logs of builds and servers, as they grow. */
export function LogsPage() {
  const { deployment = '' }: { readonly deployment?: string } = useParams({ strict: false });
  const search: LogSearch = useSearch({ strict: false });
  const feed = useLogFeed(deployment, search);
  const go = useGo();
  const change = (changed: Partial<LogSearch>) =>
    go(at.deploymentPart(deployment, 'logs', { ...search, ...changed }), { replace: true });
  return (
    <DeploymentFrame id={deployment} filled>
      {() => (
        <>
          <LogBar deployment={deployment} search={search} feed={feed} onChange={change} />
          {feed.error !== undefined && <Failure error={feed.error} onRetry={feed.reopen} />}
          {feed.error === undefined && feed.lines.length === 0 ? (
            <NoLines feed={feed} search={search} />
          ) : (
            <LogLines
              key={`${search.type} ${search.revision} ${search.level} ${search.query}`}
              feed={feed}
              words={search.query}
              isWrapped={search.wrap === 1}
            />
          )}
        </>
      )}
    </DeploymentFrame>
  );
}

interface NoLinesProps {
  readonly feed: LogFeed;
  readonly search: LogSearch;
}

function NoLines({ feed, search: { type, level, query } }: NoLinesProps) {
  if (feed.state === 'opening') return null;
  if (feed.state === 'away')
    return <Empty title="The log cannot be read just now">It is asked for again by itself.</Empty>;
  return (
    <Empty title={level === undefined && query === undefined ? 'No lines yet' : 'No line fits'}>
      {type === 'build' ? (
        <p>Lines come here while a revision is built.</p>
      ) : (
        <p>
          Lines come here as soon as an agent writes one: what it prints, and what <code>console.log</code> or{' '}
          <code>logging</code> say.
        </p>
      )}
    </Empty>
  );
}

interface LogBarProps extends NoLinesProps {
  readonly deployment: string;
  readonly onChange: (changed: Partial<LogSearch>) => void;
}

function LogBar({ deployment, search, feed, onChange }: LogBarProps) {
  const isWrapped = search.wrap === 1;
  useShortcuts([
    { key: 'w', does: 'Break long lines, or not', run: () => onChange({ wrap: isWrapped ? undefined : 1 }) },
  ]);
  const { type = 'deploy' } = search;
  return (
    <div className="flex flex-wrap items-center gap-2 border-b border-line bg-card px-4 py-2">
      <Choice
        label="Log"
        value={type}
        options={[
          ['deploy', 'Server log'],
          ['build', 'Build log'],
        ]}
        onChange={(value) => onChange({ type: value === 'build' ? 'build' : undefined })}
      />
      <RevisionChoice
        deployment={deployment}
        value={search.revision}
        onChange={(revision) => onChange({ revision })}
      />
      <Choice
        label="Lowest level"
        value={search.level ?? ''}
        options={[
          ['', 'Every level'],
          ...LEVELS.map((level) => [level, `${level.toLowerCase()} and worse`] as const),
        ]}
        onChange={(value) => onChange({ level: LEVELS.find((level) => level === value) })}
      />
      <ListSearchBox
        label="Search the log"
        className="sm:max-w-48"
        value={search.query}
        onSearch={(query) => onChange({ query })}
      />
      <Button small aria-pressed={isWrapped} onClick={() => onChange({ wrap: isWrapped ? undefined : 1 })}>
        {isWrapped ? 'Long lines broken' : 'Break long lines'}
      </Button>
      <span className="ml-auto flex items-center gap-2 text-xs text-quiet tabular-nums">
        <Loaded feed={feed} />
        <Badge tone={feed.state === 'away' ? 'warn' : feed.state === 'following' ? 'good' : 'busy'}>
          {{ following: 'live', opening: 'opening', away: 'connects again' }[feed.state]}
        </Badge>
      </span>
    </div>
  );
}

/** How much of the log is here; what was before comes when one scrolls up, or all of it by the button. */
function Loaded({ feed }: { readonly feed: LogFeed }) {
  const { all, isWhole, lines, fault } = feed;
  const text = `${count(lines.length)} ${lines.length === 1 ? 'line' : 'lines'}`;
  if (isWhole) return <span>{text}, all of it</span>;
  if (lines.length >= MOST_LINES)
    return <span title="Narrow it by level or words to see older ones.">the last {text}</span>;
  return (
    <>
      <span>{text}</span>
      {fault !== undefined && (
        <span role="alert" className="text-bad" title={fault.message}>
          Older lines could not be read.
        </span>
      )}
      {all !== undefined && (
        <Button small look="quiet" onClick={all}>
          {fault === undefined ? 'Load all' : 'Try again'}
        </Button>
      )}
    </>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, label: string])[];
  readonly onChange: (value: string) => void;
}

const Choice = ({ label, value, options, onChange }: ChoiceProps) => (
  <select
    aria-label={label}
    value={value}
    onChange={(event) => onChange(event.target.value)}
    className={classes(controlLook, 'max-w-48 sm:w-auto')}
  >
    {options.map(([one, text]) => (
      <option key={one} value={one}>
        {text}
      </option>
    ))}
  </select>
);

interface RevisionChoiceProps {
  readonly deployment: string;
  readonly value: string | undefined;
  readonly onChange: (revision: string | undefined) => void;
}

function RevisionChoice({ deployment, value, onChange }: RevisionChoiceProps) {
  const { data } = useInfiniteQuery(revisionsQuery(deployment));
  const known = data?.pages.flat() ?? [];
  const isElsewhere = value !== undefined && known.every(({ id }) => id !== value);
  return (
    <Choice
      label="Revision"
      value={value ?? ''}
      options={[
        ['', 'Every revision'],
        ...known.map(({ id, number }) => [id, `Revision ${number}`] as const),
        ...(isElsewhere ? [[value, `Revision ${value.slice(0, 8)}`] as const] : []),
      ]}
      onChange={(one) => onChange(one === '' ? undefined : one)}
    />
  );
}
