/** Markdown as elements: what would be HTML is text, links lead to http(s) and in the console alone, pictures are named. */
import { marked, type Token, type Tokens } from 'marked'
import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'

export function Markdown({ text }: { text: string }) {
  const tokens = useMemo(() => marked.lexer(text), [text])
  return <div class="markdown">{shownAll(tokens)}</div>
}

const shownAll = (tokens: readonly Token[] | undefined): ComponentChildren =>
  (tokens ?? []).map((token, index) => <Part key={index} of={token} />)

function Part({ of }: { of: Token }) {
  switch (of.type) {
    case 'heading':
      return of['depth'] < 3 ? <h3>{shownAll(of['tokens'])}</h3> : <h4>{shownAll(of['tokens'])}</h4>
    case 'paragraph':
      return <p>{shownAll(of['tokens'])}</p>
    case 'text':
      return <>{of['tokens'] ? shownAll(of['tokens']) : of.raw}</>
    case 'escape':
      return <>{of['text']}</>
    case 'strong':
      return <strong>{shownAll(of['tokens'])}</strong>
    case 'em':
      return <em>{shownAll(of['tokens'])}</em>
    case 'del':
      return <del>{shownAll(of['tokens'])}</del>
    case 'codespan':
      return <code>{of['text']}</code>
    case 'code':
      return <pre class="log">{of['text']}</pre>
    case 'br':
      return <br />
    case 'hr':
      return <hr />
    case 'space':
      return null
    case 'blockquote':
      return <blockquote>{shownAll(of['tokens'])}</blockquote>
    case 'list':
      return <List of={of as Tokens.List} />
    case 'link':
      return <Link of={of as Tokens.Link} />
    case 'table':
      return <Table of={of as Tokens.Table} />
    default:
      return <>{of.raw}</>
  }
}

const List = ({ of: { ordered, items } }: { of: Tokens.List }) => {
  const lines = items.map((item, index) => <li key={index}>{shownAll(item.tokens)}</li>)
  return ordered ? <ol>{lines}</ol> : <ul>{lines}</ul>
}

const Link = ({ of: { href, tokens } }: { of: Tokens.Link }) =>
  /^(?:https?:\/\/|#\/)/i.test(href) ? (
    <a href={href} rel="noopener noreferrer" target={href.startsWith('#') ? undefined : '_blank'}>
      {shownAll(tokens)}
    </a>
  ) : (
    <>{shownAll(tokens)}</>
  )

const Table = ({ of: { header, rows } }: { of: Tokens.Table }) => (
  <table class="values">
    <thead>
      <tr>
        {header.map(({ tokens }, index) => (
          <th key={index} scope="col">
            {shownAll(tokens)}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {rows.map((cells, at) => (
        <tr key={at}>
          {cells.map(({ tokens }, index) => (
            <td key={index}>{shownAll(tokens)}</td>
          ))}
        </tr>
      ))}
    </tbody>
  </table>
)
