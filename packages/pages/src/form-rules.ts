/**
 * Whether a form was posted by a page of this origin, as far as the browser says. Old browsers say nothing; the form's
 * token, which only our pages have, is asked for in any case.
 */
export function isOwnForm(headers: Headers, public_url: string): boolean {
  const site = headers.get('sec-fetch-site');
  if (site !== null) return site === 'same-origin';
  const origin = headers.get('origin');
  return origin === null || origin === new URL(public_url).origin;
}
