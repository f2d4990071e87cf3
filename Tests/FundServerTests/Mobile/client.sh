#!/bin/sh
# A client of the mobile API, written from its description alone: curl sends, openssl signs.
#
#   client.sh SESSION login URL USERNAME PASSWORD     keeps the token in the file SESSION
#   client.sh SESSION funds | add-fund NAME | rename-fund FUND NAME | delete-fund FUND
#   client.sh SESSION notes FUND [SINCE] | add-note FUND TITLE CONTENT | change-note FUND NOTE TITLE CONTENT DATE
#   client.sh SESSION delete-note FUND NOTE
#   client.sh SESSION emails FUND | email FUND EMAIL | get ATTACHMENT FILE
#
# Prints the answer. Exits with 1 when its status is not OK.
set -eu

session=$1
command=$2
shift 2

# field NAME < JSON: the first value of that name, a string without escapes or a number.
field() {
    sed -n "s/.*\"$1\":\"\{0,1\}\([^\",}]*\).*/\1/p" | head -n 1
}

# encode TEXT: for a form.
encode() {
    printf %s "$1" | od -An -v -tx1 | tr -d ' \n' | sed 's/../%&/g'
}

# call METHOD PATH BODY [curl options]: PATH without the user's id. A call that changes something gets a nonce.
call() {
    method=$1
    path=$2/$user
    body=$3
    shift 3
    query=${parameters:-}ts=$(date +%s)
    [ "$method" = GET ] || query=$query\&nonce=$(openssl rand -hex 16)
    digest=$(printf %s "$body" | openssl dgst -sha256 -r | cut -d ' ' -f 1)
    sign=$(printf '%s\n%s\n%s\n%s' "$method" "$path" "$query" "$digest" |
        openssl dgst -sha256 -hmac "$token" -r | cut -d ' ' -f 1)
    [ -z "$body" ] || set -- "$@" --data-raw "$body"
    curl -sS -X "$method" "$@" "$url$path/$sign?$query"
}

# show: prints an answer and judges it.
show() {
    answer=$(cat)
    printf '%s\n' "$answer"
    case $answer in '{"status":"OK"'*) ;; *) exit 1 ;; esac
}

if [ "$command" = login ]; then
    answer=$(curl -sS --data-raw "username=$(encode "$2")&password=$(encode "$3")" "$1/login")
    (
        umask 077
        printf '%s\n' "$1" "$(printf %s "$answer" | field user_id)" "$(printf %s "$answer" | field token)" >"$session"
    )
    printf %s "$answer" | show
    exit
fi

{
    read -r url
    read -r user
    read -r token
} <"$session"

case $command in
funds) call GET /funds "" | show ;;
add-fund) call POST /funds "name=$(encode "$1")" | show ;;
rename-fund) call PUT "/funds/$1" "name=$(encode "$2")" | show ;;
delete-fund) call DELETE "/funds/$1" "" | show ;;
notes)
    parameters=${2:+since=$2&}
    call GET "/notes/$1" "" | show
    ;;
add-note) call POST "/notes/$1" "title=$(encode "$2")&content=$(encode "$3")" | show ;;
change-note) call PUT "/notes/$2/$1" "title=$(encode "$3")&content=$(encode "$4")&date=$5" | show ;;
delete-note) call DELETE "/notes/$2/$1" "" | show ;;
emails) call GET "/emails/$1" "" | show ;;
email) call GET "/emails/$2/$1" "" | show ;;
get) call GET "/attachments/$1" "" --fail --output "$2" ;;
*)
    echo "unknown command $command" >&2
    exit 64
    ;;
esac
