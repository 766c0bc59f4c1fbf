/* Requests to the server. What goes wrong becomes a RequestError with one sentence to show. */

export class RequestError extends Error {}

/** The models of the server. */
export function getModels() {
  return request("api/models", {});
}

/** A file of the page. */
export async function getFile(path, name) {
  return new File([await (await ask(path, {})).blob()], name);
}

/** POST a value as JSON. */
export function post(path, body, signal) {
  return request(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
    signal,
  });
}

/** POST a file and further fields as a form; fields without a value are left out. */
export function postFile(path, file, fields, signal) {
  const form = new FormData();
  form.append("file", file);
  for (const [name, value] of Object.entries(fields)) {
    if (value) {
      form.append(name, value);
    }
  }
  return request(path, { method: "POST", body: form, signal });
}

/** Whether an error only says that a newer request has replaced this one. */
export function isAborted(error) {
  return error instanceof DOMException && error.name === "AbortError";
}

async function ask(path, options) {
  try {
    return await fetch(path, options);
  } catch (error) {
    if (isAborted(error)) {
      throw error;
    }
    throw new RequestError("The server can't be reached.");
  }
}

async function request(path, options) {
  const response = await ask(path, options);
  let answer;
  try {
    answer = await response.json();
  } catch (error) {
    if (isAborted(error)) {
      throw error;
    }
    throw new RequestError(`The server answered with status ${response.status} and no explanation.`);
  }
  if (!response.ok) {
    throw new RequestError(sentence(answer.detail) ?? `The server answered with status ${response.status}.`);
  }
  return answer;
}

function sentence(detail) {
  if (typeof detail !== "string" || !detail) {
    return null;
  }
  // a file's name at the beginning stays as it is
  const text = /^\p{Ll}+\s/u.test(detail) ? detail[0].toUpperCase() + detail.slice(1) : detail;
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
