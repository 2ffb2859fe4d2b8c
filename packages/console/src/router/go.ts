import { type LinkProps, useNavigate } from '@tanstack/react-router';
import type { Target } from './addresses.ts';

/** The router knows its routes by type; a target names one of them as text, which `test/console/addresses.test.ts` holds to them. */
export const linkProps = (target: Target): LinkProps => target as object as LinkProps;

/** Goes to a target; `replace` leaves no step back, as for what is typed or marked. */
export function useGo(): (target: Target, options?: { readonly replace?: boolean }) => void {
  const navigate = useNavigate();
  return (target, { replace = false } = {}) => void navigate({ ...(target as object), replace });
}
