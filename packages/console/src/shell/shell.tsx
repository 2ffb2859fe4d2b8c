import { useQuery } from '@tanstack/react-query';
import { Outlet, useRouterState } from '@tanstack/react-router';
import { lazy, type RefObject, Suspense, useEffect, useRef, useState } from 'react';
import { callerQuery } from '../api/caller.ts';
import { canSignIn } from '../session/pkce.ts';
import { mayDo } from '../session/session.ts';
import { Empty, Failure, NoAccess, Waiting } from '../ui/answers.tsx';
import { Icon } from '../ui/icons.tsx';
import { useShortcuts } from '../ui/keys.ts';
import { Toasts } from '../ui/toasts.tsx';
import { accessAt } from './access-rules.ts';
import { FailureBar } from './failure-bar.tsx';
import { namedPages } from './menu-entries.ts';
import { OpenShell } from './open-shell.tsx';
import { shellOf } from './shell-rules.ts';
import { Sidebar } from './sidebar.tsx';

const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }));
const KeyList = lazy(async () => ({ default: (await import('./key-list.tsx')).KeyList }));

/** The frame of the console: the menu on the left, what is looked at on the right. Some pages need nobody signed in. */
export function Shell() {
  const kind = useRouterState({ select: ({ location }) => shellOf(location.pathname) });
  return shells[kind]();
}

const shells = {
  callback: () => <Waiting what="Signing in" />,
  open: () => <OpenShell />,
  signed_in: () => (canSignIn() ? <SignedInShell /> : <NeedsHttps />),
} as const;

/** Nobody can sign in here, so there is no menu. */
const NeedsHttps = () => (
  <Empty title="Signing in needs https">
    <p>
      {location.origin} is plain http, over which browsers let nobody sign in, except on the machine itself.
      Open the https address of this Roadstead, or put it behind a proxy that has one.
    </p>
  </Empty>
);

type Overlay = 'palette' | 'keys' | undefined;

function SignedInShell() {
  const caller = useQuery(callerQuery);
  const [overlay, setOverlay] = useState<Overlay>();
  const [isMenuOpen, setMenuOpen] = useState(false);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  useEffect(() => setMenuOpen(false), [path]);
  const content = useRef<HTMLElement>(null);
  useFocusOn(content, path);
  useShortcuts([
    { key: 'mod+k', does: 'Go to anything by its name or id', run: () => setOverlay('palette') },
    { key: '?', does: 'Show the keys', run: () => setOverlay('keys') },
  ]);
  if (caller.error !== null) return <Failure error={caller.error} />;
  if (caller.data === undefined) return <Waiting what="Signing in" />;
  const close = () => setOverlay(undefined);
  return (
    <div className="flex h-full">
      <a
        href="#content"
        className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:bg-card focus:px-3 focus:py-2"
      >
        Skip the menu
      </a>
      <Sidebar caller={caller.data} isOpen={isMenuOpen} onSearch={() => setOverlay('palette')} />
      {isMenuOpen && (
        <button
          type="button"
          aria-label="Close the menu"
          onClick={() => setMenuOpen(false)}
          className="fixed inset-0 z-20 bg-black/40 md:hidden"
        />
      )}
      <div className="flex min-w-0 flex-1 flex-col">
        <div className="flex items-center gap-2 border-b border-line bg-card px-2 py-1.5 md:hidden">
          <button
            type="button"
            aria-label="Open the menu"
            aria-expanded={isMenuOpen}
            onClick={() => setMenuOpen(true)}
            className="rounded p-2 hover:bg-sunk"
          >
            <Icon name="menu" className="size-5" />
          </button>
          <span className="font-semibold">Roadstead</span>
        </div>
        <FailureBar />
        <main
          ref={content}
          id="content"
          tabIndex={-1}
          className="min-h-0 flex-1 overflow-y-auto outline-none"
        >
          <Suspense fallback={<Waiting />}>
            <Content path={path} />
          </Suspense>
        </main>
      </div>
      <Suspense>
        {overlay === 'palette' && <Palette onClose={close} />}
        {overlay === 'keys' && <KeyList onClose={close} />}
      </Suspense>
      <Toasts />
    </div>
  );
}

/** Shows what a path leads to, unless its caller may not see it: then nothing is asked for that would be refused. */
function Content({ path }: { readonly path: string }) {
  const needs = accessAt(path, namedPages());
  return needs === undefined || mayDo(needs) ? <Outlet /> : <NoAccess needs={needs} />;
}

/** Who goes elsewhere is within the new page, so that the next Tab reaches what is in it, and not the menu again. */
function useFocusOn(content: RefObject<HTMLElement | null>, path: string): void {
  const before = useRef(path);
  useEffect(() => {
    if (before.current === path) return;
    before.current = path;
    // A palette that closes gives the focus back first.
    const frame = requestAnimationFrame(() => {
      if (content.current?.contains(document.activeElement) === false)
        content.current.focus({ preventScroll: true });
    });
    return () => cancelAnimationFrame(frame);
  }, [content, path]);
}
