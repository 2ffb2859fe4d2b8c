import { mayReload } from './reload-rules.ts';

/** When this tab was last reloaded by itself. */
const RELOADED = 'roadstead-reloaded';

/** Loads the page anew, once, where parts of it are gone: the server was updated since this tab was opened. */
export function followServer(): void {
  addEventListener('vite:preloadError', () => {
    if (!mayReload(sessionStorage.getItem(RELOADED), Date.now())) return;
    sessionStorage.setItem(RELOADED, String(Date.now()));
    location.reload();
  });
}
