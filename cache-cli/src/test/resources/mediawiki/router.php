<?php
// For php -S with a document root in which w is MediaWiki: articles are below /wiki/, files are files.
$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
$isScript = preg_match('{^/w/(\w+\.php)$}', $path, $found);
if (!$isScript && !str_starts_with($path, '/wiki/')) {
    return false;
}
$script = $isScript ? $found[1] : 'index.php';
$_SERVER['SCRIPT_NAME'] = $_SERVER['PHP_SELF'] = "/w/$script";
$_SERVER['SCRIPT_FILENAME'] = $_SERVER['DOCUMENT_ROOT'] . "/w/$script";
chdir($_SERVER['DOCUMENT_ROOT'] . '/w');
// This server lets the end of the connection end a body of unknown length; others send chunks.
ob_start(function ($body) {
    header('Content-Length: ' . strlen($body));
    return $body;
});
require $script;
