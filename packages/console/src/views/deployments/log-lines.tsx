import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { CopyButton } from '../../ui/copy.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icons.tsx';
import type { LogFeed } from './log-feed.ts';
import type { LogLine } from './log-buffer.ts';
import { piecesOf } from './ansi-rules.ts';
import { marksIn } from './mark-rules.ts';

const ROW_PX = 20;
/** So much of a line is in its row; all of it is shown where it is opened. */
const CUT = 4000;
/** So near to the end one follows it. */
const NEAR_PX = 30;

interface LogLinesProps {
  readonly feed: LogFeed;
  readonly words: string | undefined;
  readonly isWrapped: boolean;
}

/** Lines of any number: only those in sight are there. At the end it follows; elsewhere it stays where it is. */
export function LogLines({ feed, words, isWrapped }: LogLinesProps) {
  const { lines, base } = feed;
  const scroller = useRef<HTMLDivElement>(null);
  // All places are counted again when this changes. A line keeps its number when others come before it.
  const getItemKey = useCallback((index: number) => base + index, [base]);
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    getItemKey,
    overscan: 20,
  });
  const { isFollowing, follow, onScroll } = useFollowing(scroller, {
    base,
    length: lines.length,
    more: feed.fault === undefined ? feed.more : undefined,
  });
  const shown = virtual.getVirtualItems();
  const [open, setOpen] = useState<LogLine>();
  return (
    <div className="relative flex min-h-0 flex-1 flex-col">
      <div
        ref={scroller}
        role="region"
        aria-label="Log lines"
        tabIndex={0}
        onScroll={onScroll}
        className="min-h-0 flex-1 overflow-auto bg-card font-mono text-xs leading-5"
      >
        <div
          className={classes('relative', isWrapped ? 'w-full' : 'min-w-fit')}
          style={{ height: virtual.getTotalSize() }}
        >
          {/* Rows stand in the flow of one block, so that the longest of them makes the width. */}
          <div style={{ transform: `translateY(${shown[0]?.start ?? 0}px)` }}>
            {shown.map(({ index, key }) => {
              const line = lines[index];
              return (
                line && (
                  <div key={key} data-index={index} ref={isWrapped ? virtual.measureElement : undefined}>
                    <Line line={line} words={words} isWrapped={isWrapped} onOpen={setOpen} />
                  </div>
                )
              );
            })}
          </div>
        </div>
      </div>
      {!isFollowing && (
        <Button look="main" small onClick={follow} className="absolute right-4 bottom-3 shadow-lg">
          <Icon name="down" className="size-3" /> To the end
        </Button>
      )}
      {open !== undefined && <WholeLine line={open} onClose={() => setOpen(undefined)} />}
    </div>
  );
}

interface WholeLineProps {
  readonly line: LogLine;
  readonly onClose: () => void;
}

const WholeLine = ({ line: { timestamp, level, message }, onClose }: WholeLineProps) => (
  <Dialog title={`${timeOfDay(timestamp)}, ${level.toLowerCase()}`} isOpen wide onClose={onClose}>
    <CopyButton text={message} label="Copy the line" />
    <pre className="font-mono text-xs wrap-anywhere whitespace-pre-wrap">
      <Pieces text={message} words={undefined} />
    </pre>
  </Dialog>
);

interface Growth {
  readonly base: number;
  readonly length: number;
  readonly more: (() => void) | undefined;
}

const toEnd = (element: HTMLElement | null) => element?.scrollTo({ top: element.scrollHeight });

function useFollowing(scroller: RefObject<HTMLDivElement | null>, { base, length, more }: Growth) {
  const [isFollowing, setFollowing] = useState(true);
  const isAtEnd = useRef(true);
  const last_base = useRef(base);
  // What comes before the first line, or is dropped there, moves nothing that is in sight.
  useLayoutEffect(() => {
    const moved_px = (last_base.current - base) * ROW_PX;
    last_base.current = base;
    if (isAtEnd.current) toEnd(scroller.current);
    else if (moved_px !== 0) scroller.current?.scrollBy({ top: moved_px });
  });
  // Rows that are measured for the first time may make it longer.
  useEffect(() => {
    if (isAtEnd.current) toEnd(scroller.current);
  }, [length, scroller]);
  const onScroll = () => {
    const element = scroller.current;
    if (element === null) return;
    isAtEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_PX;
    setFollowing(isAtEnd.current);
    if (element.scrollTop < 20 * ROW_PX && !isAtEnd.current) more?.();
  };
  const follow = () => {
    isAtEnd.current = true;
    setFollowing(true);
    toEnd(scroller.current);
  };
  return { isFollowing, follow, onScroll };
}

const tones: Readonly<Record<string, string>> = {
  DEBUG: 'text-quiet',
  INFO: 'text-accent',
  WARNING: 'text-warn',
  ERROR: 'text-bad',
  CRITICAL: 'text-bad font-bold',
};

interface LineProps {
  readonly line: LogLine;
  readonly words: string | undefined;
  readonly isWrapped: boolean;
  readonly onOpen: (line: LogLine) => void;
}

const Line = memo(({ line, words, isWrapped, onOpen }: LineProps) => {
  const { timestamp, level, message } = line;
  const isCut = message.length > CUT;
  const text = isCut ? `${message.slice(0, CUT)} …` : message;
  return (
    <div
      className={classes(
        'flex gap-3 px-4',
        isWrapped ? 'whitespace-pre-wrap wrap-anywhere' : 'h-5 whitespace-pre',
        ['ERROR', 'CRITICAL'].includes(level) && 'bg-bad-soft',
      )}
    >
      <time dateTime={timestamp} title={timestamp} className="shrink-0 text-quiet select-none">
        {timeOfDay(timestamp)}
      </time>
      <span className={classes('w-16 shrink-0 select-none', tones[level])}>{level.toLowerCase()}</span>
      <span className={isWrapped ? 'min-w-0 flex-1' : undefined}>
        <Pieces text={isWrapped ? text : text.replaceAll('\n', ' ↵ ')} words={words} />
      </span>
      {isCut && (
        <button
          type="button"
          onClick={() => onOpen(line)}
          className="sticky right-4 shrink-0 self-start bg-card px-1 text-accent underline"
        >
          All of the line
        </button>
      )}
    </div>
  );
});

interface PiecesProps {
  readonly text: string;
  readonly words: string | undefined;
}

/** A text in its colours. */
const Pieces = ({ text, words }: PiecesProps) =>
  piecesOf(text).map(({ text: piece, look }, index) => (
    // oxlint-disable-next-line react/no-array-index-key -- pieces of a line never change their places
    <span key={index} className={look === '' ? undefined : look}>
      <Marked text={piece} words={words} />
    </span>
  ));

/** Marks what was searched for. */
const Marked = ({ text, words }: { readonly text: string; readonly words: string | undefined }) =>
  marksIn(text, words).map(({ at, piece, is_hit }) =>
    is_hit ? (
      <mark key={at} className="bg-warn-soft text-ink underline">
        {piece}
      </mark>
    ) : (
      piece
    ),
  );

const clock = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
});
const timeOfDay = (at: string): string => clock.format(new Date(at));
