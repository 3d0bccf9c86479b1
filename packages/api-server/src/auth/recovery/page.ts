/**
 * `/reset-password`: where the links of invites and recoveries lead. A page of its own, so that somebody who cannot sign in
 * needs nothing else. It loads nothing, and executes nothing but its own script.
 * @module
 */
import { hash } from 'node:crypto'

import type { RequestHandler } from 'express'

import { body, script, style } from './page-parts.ts'

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Set your password</title>
<style>${style}</style>
</head>
<body>
${body}
<script>${script}</script>
</body>
</html>
`

const digestOf = (text: string): string => `'sha256-${hash('sha256', text, 'base64')}'`

const policy = [
  "default-src 'none'",
  "base-uri 'none'",
  "connect-src 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  `script-src ${digestOf(script)}`,
  `style-src ${digestOf(style)}`,
].join('; ')

/** Answers with the page; the headers of all answers stand before it. */
export const passwordPage: RequestHandler = (_request, response) => {
  response.set('content-security-policy', policy).type('html').send(page)
}
