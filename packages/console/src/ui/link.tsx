import { Link } from '@tanstack/react-router';
import type { ComponentProps, ReactNode } from 'react';
import type { Target } from '../router/addresses.ts';
import { linkProps } from '../router/go.ts';

interface GoToProps extends Omit<ComponentProps<'a'>, 'href' | 'target'> {
  readonly target: Target;
  readonly children: ReactNode;
}

/** A link within the console. */
export const GoTo = ({ target, className, ...rest }: GoToProps) => (
  <Link {...(rest as object)} {...linkProps(target)} className={className ?? 'text-accent underline'} />
);
