'use strict';

const { AIMessage } = require('@langchain/core/messages');
const { END, MessagesAnnotation, START, StateGraph } = require('@langchain/langgraph');

const graph = new StateGraph(MessagesAnnotation)
  .addNode('answer', ({ messages }) => ({
    messages: [new AIMessage(`commonjs: ${messages.at(-1).text}`)],
  }))
  .addEdge(START, 'answer')
  .addEdge('answer', END)
  .compile();

module.exports = { graph };
