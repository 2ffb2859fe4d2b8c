import { Outlet } from '@tanstack/react-router';
import { Suspense } from 'react';
import { Waiting } from '../ui/answers.tsx';
import { FailureBar } from './failure-bar.tsx';
import { Toasts } from '../ui/toasts.tsx';

/** The frame of what anybody may see who has the link: without a menu, since nobody is signed in. */
export const OpenShell = () => (
  <div className="flex h-full flex-col">
    <header className="flex items-center gap-2 border-b border-line bg-card px-4 py-2">
      <img src="/console/icon.svg" alt="" className="size-5" />
      <a href="/console" className="font-semibold hover:underline">
        Roadstead
      </a>
      <span className="text-xs text-quiet">shared by link</span>
    </header>
    <FailureBar />
    <main id="content" tabIndex={-1} className="min-h-0 flex-1 overflow-y-auto outline-none">
      <Suspense fallback={<Waiting />}>
        <Outlet />
      </Suspense>
    </main>
    <Toasts />
  </div>
);
