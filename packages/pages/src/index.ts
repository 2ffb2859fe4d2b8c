export { isOwnForm } from './form-rules.ts';
export { type Html, html } from './html.ts';
export { documentOf, fault, pageHeaders } from './page.ts';
