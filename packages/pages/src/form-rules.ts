/**
 * Whether a form was posted by a page of this origin, according to the browser. Old browsers send nothing; the form's
 * token, which only our pages have, is required in any case.
 */
export function isOwnForm(headers: Headers, public_url: string): boolean {
  const site = headers.get('sec-fetch-site');
  if (site !== null) return site === 'same-origin';
  const origin = headers.get('origin');
  return origin === null || origin === new URL(public_url).origin;
}
