import type { ReactNode } from 'react';
import type { Tone } from '../words/tone.ts';
import { classes } from './classes.ts';

const tones: Readonly<Record<Tone, string>> = {
  good: 'bg-good-soft text-good',
  bad: 'bg-bad-soft text-bad',
  warn: 'bg-warn-soft text-warn',
  busy: 'bg-busy-soft text-busy',
  quiet: 'bg-sunk text-quiet',
};

interface BadgeProps {
  readonly tone?: Tone;
  readonly title?: string;
  readonly children: ReactNode;
}

/** A state in a word; the dot of a busy one moves, where it is not one of many. */
export const Badge = ({ tone = 'quiet', title, children }: BadgeProps) => (
  <span
    title={title}
    className={classes(
      'inline-flex items-center gap-1 rounded-full px-2 py-px text-xs font-medium whitespace-nowrap',
      tones[tone],
    )}
  >
    <span className={classes('size-1.5 rounded-full bg-current', tone === 'busy' && 'alone:animate-pulse')} />
    {children}
  </span>
);

/** A word that is no state: a tag, a model, a kind. */
export const Tag = ({ children, title }: { readonly children: ReactNode; readonly title?: string }) => (
  <span
    title={title}
    className="inline-block max-w-48 truncate rounded border border-line px-1.5 align-middle text-xs text-quiet"
  >
    {children}
  </span>
);
