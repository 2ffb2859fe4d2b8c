import { createHash } from 'node:crypto';

/**
 * The one style of all pages. It is included in each of them, identified by its hash in the page's security policy.
 */
export const STYLE = `
:root {
  color-scheme: light dark;
  --ground: #f3f5f7; --card: #ffffff; --ink: #17212b; --quiet: #55636f; --line: #d4dbe1;
  --accent: #0b5c8a; --on-accent: #ffffff; --bad: #a4262c; --bad-ground: #fdf0f0; --field: #ffffff;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #10161b; --card: #1a2229; --ink: #e8edf1; --quiet: #a3b0bb; --line: #36424c;
    --accent: #6cbbe8; --on-accent: #0c1a23; --bad: #ffaaa5; --bad-ground: #3a2022; --field: #10161b;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; min-height: 100vh; padding: 1.25rem; background: var(--ground); color: var(--ink);
  font: 1rem/1.5 system-ui, sans-serif; display: flex; flex-direction: column; align-items: center;
}
.brand { margin: 4vh 0 1rem; color: var(--quiet); font-weight: 600; letter-spacing: 0.02em; }
main {
  width: 100%; max-width: 30rem; padding: 1.75rem; background: var(--card); border: 1px solid var(--line);
  border-radius: 0.75rem;
}
h1 { margin: 0 0 0.5rem; font-size: 1.4rem; line-height: 1.25; overflow-wrap: anywhere; }
h2 { margin: 1.5rem 0 0.5rem; font-size: 1rem; }
p { margin: 0 0 0.75rem; overflow-wrap: anywhere; }
.quiet { color: var(--quiet); font-size: 0.9rem; }
form { margin: 0; }
fieldset { margin: 1.25rem 0; padding: 0; border: 0; }
legend { padding: 0; font-weight: 600; }
label { display: block; margin: 0.75rem 0 0.25rem; font-weight: 500; }
input[type='text'], input[type='password'] {
  width: 100%; padding: 0.6rem 0.7rem; border: 1px solid var(--quiet); border-radius: 0.4rem;
  background: var(--field); color: var(--ink); font: inherit;
}
input.code { font: 1.4rem/1.4 ui-monospace, monospace; letter-spacing: 0.1em; text-align: center; text-transform: uppercase; }
label.choice { display: flex; gap: 0.65rem; align-items: flex-start; margin: 0; padding: 0.45rem 0; font-weight: 400; }
label.choice input { flex: none; width: 1.15rem; height: 1.15rem; margin: 0.2rem 0 0; accent-color: var(--accent); }
label.choice small { display: block; color: var(--quiet); }
button {
  min-height: 2.75rem; padding: 0.5rem 1.25rem; border: 1px solid var(--accent); border-radius: 0.4rem;
  background: var(--accent); color: var(--on-accent); font: inherit; font-weight: 600; cursor: pointer;
}
button.second { background: transparent; color: var(--ink); border-color: var(--quiet); }
button.link { min-height: 0; padding: 0; border: 0; background: none; color: var(--accent); font-weight: 400; text-decoration: underline; }
.actions { display: flex; gap: 0.75rem; margin-top: 1.25rem; }
.actions button { flex: 1; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.fault { margin: 1rem 0; padding: 0.6rem 0.8rem; border-left: 4px solid var(--bad); background: var(--bad-ground); color: var(--bad); }
hr { margin: 1.5rem 0; border: 0; border-top: 1px solid var(--line); }
dl { margin: 1rem 0; display: grid; grid-template-columns: auto 1fr; gap: 0.35rem 1rem; }
dt { color: var(--quiet); }
dd { margin: 0; overflow-wrap: anywhere; font-weight: 500; }
ul.plain { margin: 1rem 0; padding: 0; list-style: none; }
ul.plain li { padding: 1rem 0; border-top: 1px solid var(--line); }
code { font-family: ui-monospace, monospace; font-size: 0.9em; }
a { color: var(--accent); }
a.button {
  flex: 1; padding: 0.6rem 1.25rem; border-radius: 0.4rem; background: var(--accent); color: var(--on-accent); font-weight: 600;
  text-align: center; text-decoration: none;
}
@media (max-width: 30rem) {
  body { padding: 0.75rem; }
  .brand { margin: 0.75rem 0; }
  main { padding: 1.25rem; }
  .actions { flex-direction: column; }
}
`;

export const STYLE_HASH = `sha256-${createHash('sha256').update(STYLE).digest('base64')}`;
