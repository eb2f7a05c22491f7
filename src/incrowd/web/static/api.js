// Talking to the server on this computer. The requests are described in docs/reference/web-api.md.

const token = document.querySelector('meta[name="incrowd-token"]').content;

/** What the server says when it does not do what was asked. */
export class Refused extends Error {
  constructor(status, said) {
    super(said.message || "This did not work.");
    const { code = "", hint = "", place = "", problems = [], repairs = [] } = said;
    Object.assign(this, { status, code, hint, place, problems, repairs });
  }
}

const gone = () => new Refused(
  0,
  {
    code: "gone",
    message: "The server does not answer.",
    hint: "Is incrowd serve still running? Start it again, and open the address that it prints.",
  },
);

async function ask(method, path, body, { match, signal } = {}) {
  const headers = { Accept: "application/json" };
  if (method !== "GET") headers["X-Incrowd-Token"] = token;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (match) headers["If-Match"] = match;
  let answer;
  try {
    answer = await fetch(
      path,
      { method, headers, signal, body: body === undefined ? undefined : JSON.stringify(body) },
    );
  } catch (error) {
    throw error.name === "AbortError" ? error : gone();
  }
  const said = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Refused(answer.status, said);
  return said;
}

export const get = (path, more) => ask("GET", path, undefined, more);
export const post = (path, body = {}, more = undefined) => ask("POST", path, body, more);
export const patch = (path, body, more) => ask("PATCH", path, body, more);
export const del = (path, more) => ask("DELETE", path, undefined, more);
export const put = (path, body, more) => ask("PUT", path, body, more);

/** Ask; give null where there is nothing. */
export async function maybe(path) {
  try {
    return await get(path);
  } catch (error) {
    if (error.status === 404) return null;
    throw error;
  }
}

/** Send a file. `told` hears the share that has arrived; `signal` ends it. */
export function upload(file, told, signal) {
  return new Promise((done, failed) => {
    const request = new XMLHttpRequest();
    request.open("POST", `/api/files?name=${encodeURIComponent(file.name)}`);
    request.setRequestHeader("X-Incrowd-Token", token);
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.responseType = "json";
    request.upload.addEventListener("progress", (event) => event.lengthComputable && told(event.loaded, event.total));
    request.addEventListener(
      "load",
      () => (
        request.status < 400 ? done(request.response) : failed(new Refused(request.status, request.response || {}))
      ),
    );
    request.addEventListener("error", () => failed(gone()));
    request.addEventListener("abort", () => failed(new DOMException("ended", "AbortError")));
    signal?.addEventListener("abort", () => request.abort());
    request.send(file);
  });
}
