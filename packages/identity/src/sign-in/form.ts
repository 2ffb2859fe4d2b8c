import { readBytes } from '@roadstead/http';
import { Problem } from '@roadstead/kit';
import { isOwnForm } from '@roadstead/pages';
import { isSameToken } from './session-cookie.ts';

const MAX_BYTES = 16_384;
const FORM = 'application/x-www-form-urlencoded';

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
  const fields = new URLSearchParams((await readBytes(request, { max_bytes: MAX_BYTES })).toString());
  if (
    !isForm(request) ||
    !isOwnForm(request.headers, public_url) ||
    !isSameToken(fields.get('form_token') ?? '', form_token)
  )
    throw new Problem('invalid', 'This page was open for too long, or was not opened here.', {
      hint: 'Go back, load it again, and repeat what you did.',
    });
  return fields;
}

/** The fields of a form that may be left out. @throws Problem `invalid` for a body that is no form */
export async function readOptionalForm(
  request: Request,
  { max_bytes }: { readonly max_bytes: number },
): Promise<URLSearchParams> {
  const bytes = await readBytes(request, { max_bytes });
  if (bytes.length > 0 && !isForm(request))
    throw new Problem('invalid', `The body must be ${FORM}, or empty.`, { code: 'invalid_request' });
  return new URLSearchParams(bytes.toString());
}

const isForm = ({ headers }: Request) =>
  headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() === FORM;
