export { type OpenBrowser, openBrowser } from './browser.ts';
export { chatPage, rests, said, say } from './chat-page.ts';
