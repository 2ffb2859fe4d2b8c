import type { ComponentProps } from 'react';
import type { Access } from '@roadstead/contracts';
import { mayDo } from '../session/session.ts';
import { classes } from './classes.ts';

type Look = 'main' | 'plain' | 'quiet' | 'danger';

const looks: Readonly<Record<Look, string>> = {
  main: 'border-accent bg-accent text-on-accent hover:opacity-90',
  plain: 'border-line bg-card text-ink hover:bg-sunk',
  quiet: 'border-transparent bg-transparent text-ink hover:bg-sunk',
  danger: 'border-bad bg-card text-bad hover:bg-bad-soft',
};

interface ButtonProps extends ComponentProps<'button'> {
  readonly look?: Look;
  readonly small?: boolean;
  /** The access that the action needs. Without it the button is not there: no button answers 403. */
  readonly needs?: Access | readonly Access[];
  /** Why it can't be pressed now; shown where the pointer rests, and read aloud. */
  readonly because?: string | undefined;
}

export function Button(props: ButtonProps) {
  const { look = 'plain', small = false, needs, because, className, disabled, ...rest } = props;
  if (needs !== undefined && !mayDo(needs)) return null;
  return (
    <button
      type="button"
      {...rest}
      disabled={disabled === true || because !== undefined}
      title={because ?? rest.title}
      className={classes(
        'inline-flex items-center justify-center gap-1.5 rounded-md border font-medium whitespace-nowrap disabled:opacity-50',
        small ? 'min-h-6 px-2 py-0.5 text-xs' : 'min-h-8 px-3 py-1',
        looks[look],
        className,
      )}
    />
  );
}
