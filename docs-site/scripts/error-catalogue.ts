/**
 * The page of error codes.
 * @module
 */
import { issueCodes, problemCatalogue } from '../../packages/protocol/src/index.ts'
import { code, type Page, table } from './page.ts'

/** Every code of a refused request, and every code of an issue of a flow. */
export function errorCataloguePage(): Page {
  const problems = Object.entries(problemCatalogue).toSorted(
    ([a, { status: x }], [b, { status: y }]) => x - y || a.localeCompare(b),
  )
  const body = [
    'A refused request is answered with `application/problem+json` (RFC 9457). Programs branch on `code`; `detail`',
    'says what failed this time and what to do. How to handle them: [HTTP API and errors](../../../guide/http-api/).',
    '',
    table(
      ['Status', 'Code', 'Title'],
      problems.map(([name, { status, title }]) => [String(status), code(name), title]),
    ),
    '',
    '## Issues of a flow',
    '',
    'An issue is a finding about a stored document. It has a severity (`error` blocks publish, start and run; `warning`',
    'means impaired; `advisory` is advice), a `code`, a message, and the node and JSON Pointer that it is about.',
    '',
    issueCodes.map((name) => `- ${code(name)}`).join('\n'),
  ]
  return {
    path: 'pages/errors',
    title: 'Errors',
    description: 'Every error code of the HTTP API with its status, and every code of an issue of a flow.',
    order: 2,
    body: body.join('\n'),
  }
}
