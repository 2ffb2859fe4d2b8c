import { readBytes } from '@roadstead/http';
import { Problem } from '@roadstead/kit';
import { isOwnForm } from '@roadstead/pages';
import { isSameToken } from './session-cookie.ts';

const MAX_BYTES = 16_384;

export interface ExpectedForm {
  /** The form token of the session whose page has the form. */
  readonly form_token: string;
  readonly public_url: string;
}

/** The fields of a form that one of our own pages posted. @throws Problem `invalid` for any other */
export async function readForm(
  request: Request,
  { form_token, public_url }: ExpectedForm,
): Promise<URLSearchParams> {
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  const fields = new URLSearchParams((await readBytes(request, { max_bytes: MAX_BYTES })).toString());
  if (
    type !== 'application/x-www-form-urlencoded' ||
    !isOwnForm(request.headers, public_url) ||
    !isSameToken(fields.get('form_token') ?? '', form_token)
  )
    throw new Problem('invalid', 'This page was open for too long, or was not opened here.', {
      hint: 'Go back, load it again, and repeat what you did.',
    });
  return fields;
}
