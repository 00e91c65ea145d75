// Stands for `ws`: exchanges and databases are asked over HTTP alone.
export class WebSocket {
  constructor() {
    throw new Error("there are no web sockets here");
  }
}
export const createWebSocketStream = undefined;
export default WebSocket;
