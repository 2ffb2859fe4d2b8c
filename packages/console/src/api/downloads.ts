import { authorizedFetch } from './clients.ts';

interface Download {
  readonly path: string;
  /** The name of the file that is kept. */
  readonly name: string;
}

/** Keeps what an address of the API answers as a file; a link could send no token. */
export async function download({ path, name }: Download): Promise<void> {
  const answer = await authorizedFetch(new Request(location.origin + path));
  if (!answer.ok) throw new Error(`The server answered ${answer.status}; nothing was kept.`);
  const address = URL.createObjectURL(await answer.blob());
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser reads it after the click; a minute is enough for that to begin.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
