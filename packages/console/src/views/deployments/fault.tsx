import type { ReactNode } from 'react';

/** What is wrong with a whole form. */
export const Fault = ({ children }: { readonly children: ReactNode }) => (
  <p role="alert" className="border-l-4 border-bad bg-bad-soft px-3 py-2 wrap-anywhere text-bad">
    {children}
  </p>
);
