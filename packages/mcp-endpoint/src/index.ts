export { answerMcp, type McpMessage } from './answer-mcp.ts';
export { withoutNulls } from './null-rules.ts';
export { paramsRefusal } from './params-rules.ts';
