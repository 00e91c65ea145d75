/// <reference lib="webworker" />
/**
 * The page's service worker. It replaces a page that cannot be loaded, and shows alerts. It stores nothing: no response, no token,
 * so no figure is older than its request.
 */

const worker = self as unknown as ServiceWorkerGlobalScope;

const OFFLINE_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="refresh" content="15">
<title>Offline · edgemaker</title>
<style>body{max-width:34rem;margin:10vh auto;padding:0 16px;font:16px/1.5 system-ui,sans-serif}</style>
</head>
<body><main>
<h1>The server cannot be reached</h1>
<p>No figures are shown here, because they would be old. Open orders stay on the exchanges and can fill.</p>
<p>Check your network, and that the server runs. This page tries again every 15 seconds.</p>
</main></body>
</html>
`;

const offlinePage = () =>
  new Response(OFFLINE_PAGE, {
    status: 503,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
      "cache-control": "no-store",
    },
  });

/** Statuses of a proxy whose server does not respond. */
const PROXY_FAILURES = [502, 503, 504];

worker.addEventListener("fetch", (event) => {
  // Everything else goes to the network as if there was no service worker.
  if (event.request.mode !== "navigate") return;
  event.respondWith(
    fetch(event.request).then(
      (response) => (PROXY_FAILURES.includes(response.status) ? offlinePage() : response),
      offlinePage,
    ),
  );
});

worker.addEventListener("push", (event) => {
  const { id, title = "edgemaker", body = "" } = event.data?.json() ?? {};
  // A retry of the same message replaces it.
  event.waitUntil(worker.registration.showNotification(title, { body, tag: id, icon: "icon.png" }));
});

worker.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(worker.clients.openWindow("../../"));
});
